#include "loupe/select/framework_defaults.hpp"

#include "support/catch.hpp"

using namespace loupe;

TEST_CASE("the classes of collections are smdebug's") {
  CHECK(collection_classes("losses").scalar);
  CHECK(collection_classes("feature_importance").scalar);
  CHECK(collection_classes("tensorflow_summaries").summaries);
  CHECK(collection_classes("gradients").training_only);
  CHECK(collection_classes("optimizer_variables").training_only);
  CHECK_FALSE(collection_classes("weights").training_only);
  CHECK_FALSE(collection_classes("mine").scalar);
}

TEST_CASE("only XGBoost has an interval of its own") {
  CHECK(xgboost_defaults.save_interval == 10);
  for (const FrameworkDefaults* defaults :
       {&pytorch_defaults, &mxnet_defaults, &tensorflow_defaults, &frameworkless_defaults})
    CHECK(defaults->save_interval == 500);
}

TEST_CASE("what is always saved exists") {
  for (const FrameworkDefaults* defaults :
       {&pytorch_defaults, &mxnet_defaults, &tensorflow_defaults, &xgboost_defaults, &frameworkless_defaults})
    for (const std::string_view name : defaults->always_saved) {
      bool exists = false;
      for (const DefaultCollection& collection : defaults->collections) exists |= collection.name == name;
      CHECK(exists);
    }
}
