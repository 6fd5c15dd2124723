#include "loupe/format/collections_file.hpp"

#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;
using namespace loupe::format;

namespace {

CollectionsFile parsed(std::string_view text) {
  auto file = read_collections(text, "w_collections.json");
  if (!file) FAIL(file.error().message().c_str());
  return *std::move(file);
}

std::string written(const CollectionsFile& file) {
  ByteBuffer out;
  write_collections_file(out, file.collections, file.num_workers);
  return std::string(out.text());
}

std::string with_collection(std::string_view fields) {
  return std::string(R"({"collections": {"a": {)").append(fields).append(R"(}}, "_meta": {"num_workers": 1}})");
}

}  // namespace

TEST_CASE("every collections file that smdebug wrote reads and writes back to the same bytes") {
  int compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test_data("fixtures/trials"))) {
    const std::string path = entry.path().string();
    if (!path.ends_with("_collections.json")) continue;
    CAPTURE(path);
    const std::string text = read_test_data(path.substr(test_data("").size()));
    CHECK(written(parsed(text)) == text);
    ++compared;
  }
  CHECK(compared > 40);
}

TEST_CASE("the specification's example reads and writes back") {
  const std::string_view text =
      R"({"collections": {"default": {"name": "default", "include_regex": [], "tensor_names": [], "reduction_config": null, "save_config": null, "save_histogram": true}, "relu_out": {"name": "relu_out", "include_regex": ["relu"], "tensor_names": ["a", "b"], "reduction_config": {"save_raw_tensor": false, "reductions": "min,l2_norm,abs_mean", "save_shape": true}, "save_config": {"TRAIN": {"save_interval": 10, "save_steps": [1, 3], "start_step": 0, "end_step": 100}, "EVAL": null, "PREDICT": null, "GLOBAL": null}, "save_histogram": false}}, "_meta": {"num_workers": 2}})";
  const CollectionsFile file = parsed(text);
  CHECK(file.num_workers == 2);
  const Collection* const relu = file.collections.find("relu_out");
  REQUIRE(relu != nullptr);
  CHECK(relu->tensor_names == NameSet{"a", "b"});
  CHECK(relu->save->of(Mode::train) ==
        ModeSaveConfig{.interval = 10, .start_step = 0, .end_step = 100, .save_steps = {1, 3}});
  CHECK_FALSE(relu->save->of(Mode::eval));
  CHECK(written(file) == text);
}

TEST_CASE("the order of modes and of reductions in a file is kept") {
  const std::string text = with_collection(
      R"("name": "a", "include_regex": [], "tensor_names": [], "reduction_config": {"save_raw_tensor": true, "reductions": "sum,min,abs_max", "save_shape": false}, "save_config": {"GLOBAL": null, "EVAL": null, "TRAIN": null, "PREDICT": null}, "save_histogram": true)");
  CHECK(written(parsed(text)) == text);
}

TEST_CASE("a collection is known by the name inside it, and what it leaves out is what smdebug takes it for") {
  const CollectionsFile file = parsed(R"({"_meta": {}, "collections": {"key": {"name": "real", "extra": [1, 2]}}})");
  CHECK(file.num_workers == 1);
  CHECK(file.collections.find("key") == nullptr);
  const Collection* const real = file.collections.find("real");
  REQUIRE(real != nullptr);
  CHECK(real->include_regex.empty());
  CHECK(real->tensor_names.empty());
  CHECK_FALSE(real->reductions);
  CHECK_FALSE(real->save);
  CHECK(real->save_histogram);
}

TEST_CASE("names are written sorted by code point") {
  CollectionsFile file;
  Collection* const collection = file.collections.get("a").value();
  for (const char* name : {"z", "é", "Z", "b"}) collection->add_tensor(name);
  CHECK(written(file).find(R"("tensor_names": ["Z", "b", "z", "\u00e9"])") != std::string::npos);
}

TEST_CASE("a damaged collections file is an error with its name") {
  for (const std::string& text :
       {std::string(""), std::string("{"), std::string("[]"), std::string(R"({"collections": {}})"),
        std::string(R"({"collections": {}, "_meta": {"num_workers": 1}, "more": 1})"),
        std::string(R"({"collections": {}, "_meta": {"num_workers": -1}})"),
        std::string(R"({"collections": {}, "_meta": {"num_workers": 1e300}})"),
        std::string(R"({"collections": [], "_meta": {"num_workers": 1}})"), with_collection(R"("tensor_names": 5)"),
        with_collection(R"("tensor_names": [5])"), with_collection(R"("save_config": {"train": null})"),
        with_collection(R"("save_config": {"TRAIN": {"save_interval": "x"}})"),
        with_collection(R"("reduction_config": {"reductions": "median"})"),
        with_collection(R"("save_histogram": "yes")")}) {
    CAPTURE(text);
    const auto file = read_collections(text, "w_collections.json");
    REQUIRE_FALSE(file);
    CHECK(file.error().kind == ErrorKind::corrupt);
    CHECK(file.error().object == "w_collections.json");
  }
}

TEST_CASE("a torn collections file is refused wherever it ends") {
  const std::string whole = with_collection(R"("name": "a", "include_regex": ["x"], "save_histogram": true)");
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(read_collections(std::string_view(whole).substr(0, size), "f"));
  CHECK_FALSE(read_collections(whole + whole, "f"));
}
