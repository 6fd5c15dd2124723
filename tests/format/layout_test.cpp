#include "loupe/format/layout.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;
using namespace loupe::format;

TEST_CASE("files of a step lie where smdebug puts them, and their names are read back") {
  const Table table("paths");
  for (const auto& row : table.rows()) {
    const std::int64_t step = row["in"]["step"].GetInt64();
    const std::string_view worker = text_of(row["in"]["worker"]);
    CHECK(event_key(step, worker) == text_of(row["out"]["event"]));
    CHECK(index_key(step, worker) == text_of(row["out"]["index"]));
    CHECK(collections_key(worker) == text_of(row["out"]["collections"]));
    const auto index = parse_index_key(index_key(step, worker));
    REQUIRE(index);
    CHECK(index->step == step);
    CHECK(index->worker == worker);
    const auto event = parse_event_key(event_key(step, worker));
    REQUIRE(event);
    CHECK(event->step == step);
    CHECK(event->worker == worker);
    CHECK(parse_collections_key(collections_key(worker)) == worker);
  }
}

TEST_CASE("names of files are read as smdebug reads them") {
  const Table table("file_names");
  for (const auto& row : table.rows()) {
    const std::string_view path = text_of(row["in"]);
    const auto& out = row["out"];
    CAPTURE(path);
    if (out.HasMember("collection_worker")) {
      CHECK(parse_collections_key(path) == text_of(out["collection_worker"]));
      continue;
    }
    const bool is_event = path.ends_with(".tfevents");
    const auto parsed = is_event ? parse_event_key(path, WorkerNames::escaped_by_path)
                                 : parse_index_key(path, WorkerNames::escaped_by_path);
    REQUIRE(parsed.has_value() == out["worker"].IsString());
    if (!parsed) {
      CHECK(parsed.error().kind == ErrorKind::index_reader);
      CHECK(parsed.error().object == path);
      continue;
    }
    CHECK(parsed->worker == text_of(out["worker"]));
    CHECK(parsed->step == out["step"].GetInt64());
  }
}

TEST_CASE("a worker's name is un-escaped by its first letter alone, whatever the folder is called") {
  CHECK(parse_index_key("t__x/index/000000000/000000000010_worker_0.json")->worker == "worker_0");
  CHECK(parse_index_key("index/000000002/000000002000__job-worker_replica-0_task-1_device-GPU-0.json")->worker ==
        "/job:worker/replica:0/task:1/device:GPU:0");
}

TEST_CASE("names of devices are escaped and come back") {
  const std::string_view device = "/job:worker/replica:0/task:1/device:GPU:0";
  CHECK(escape_worker(device) == "_job-worker_replica-0_task-1_device-GPU-0");
  CHECK(unescape_worker(escape_worker(device)) == device);
  CHECK(parse_collections_key(collections_key(escape_worker(device))) == device);
}

TEST_CASE("names that are none of the format's are refused") {
  for (const char* key : {"index/000000000/000000000010_.json", "index/000000000/_w.json",
                          "index/000000000/000000000010_w.json.tmp", "index/000000000/-00000000001_w.json",
                          "index/000000000/99999999999999999999_w.json", "index/0/5.json", "", "/"}) {
    CAPTURE(key);
    CHECK(parse_index_key(key).error().kind == ErrorKind::index_reader);
  }
  CHECK_FALSE(parse_event_key("events/1/000000000001_w.json"));
  CHECK_FALSE(parse_collections_key("collections/000000000/collections.json"));
  CHECK_FALSE(parse_collections_key("collections/000000000/_collections.json"));
  CHECK_FALSE(parse_collections_key("collections/000000000/worker_0_collections.json.tmp"));
}

TEST_CASE("names of workers that would not come back are refused") {
  using namespace std::string_view_literals;
  for (const std::string_view name : {""sv, "a/b"sv, "a\0b"sv, "a__b"sv})
    CHECK(check_worker(name).error().kind == ErrorKind::invalid_argument);
  CHECK_FALSE(check_worker(std::string(201, 'a')));
  for (const std::string_view name : {"worker_0"sv, "algo-1"sv, "_job-worker_replica-0"sv}) CHECK(check_worker(name));
}

TEST_CASE("a negative step is written as Python formats it") {
  CHECK(event_key(-1, "w") == "events/-00000000001/-00000000001_w.tfevents");
  CHECK(index_key(-1, "w") == "index/-00000001/-00000000001_w.json");
  CHECK(index_key(-1001, "w") == "index/-00000002/-00000001001_w.json");
}

TEST_CASE("TensorBoard files are named after mode, step, process and host") {
  CHECK(tensorboard_key(Mode::train, 3, "4242_host") == "TRAIN/000000000003_4242_host.tfevents");
}

TEST_CASE("names of reductions are smdebug's, both ways") {
  const Table table("reduction_names");
  for (const auto& row : table.rows()) {
    const auto& in = row["in"];
    ByteBuffer name;
    const std::string operation = std::string(in["abs"].GetBool() ? "abs_" : "").append(text_of(in["reduction"]));
    append_reduction_name(name, operation, text_of(in["tensor"]),
                          in["remove_colon_index"].GetBool() ? ColonIndex::remove : ColonIndex::keep);
    CHECK(name.text() == text_of(row["out"]["name"]));
    const auto back = split_reduction_name(name.text());
    REQUIRE(back);
    CHECK(back->tensor == text_of(row["out"]["back"][0]));
    CHECK(back->operation == text_of(row["out"]["back"][1]));
    CHECK(back->absolute == row["out"]["back"][2].GetBool());
  }
}

TEST_CASE("a name without the mark of reductions is a tensor's own") {
  CHECK_FALSE(split_reduction_name("fc.weight"));
  CHECK_FALSE(split_reduction_name("smdebug/reduction/min/x"));
  const auto bare = split_reduction_name("smdebug/reductions/min");
  REQUIRE(bare);
  CHECK(bare->operation == "min");
  CHECK(bare->tensor.empty());
}

TEST_CASE("TensorBoard's tags are cleaned as smdebug cleans them") {
  const Table table("clean_tag");
  for (const auto& row : table.rows()) CHECK(clean_tag(text_of(row["in"])) == text_of(row["out"]));
  CHECK(clean_tag("a\xff"
                  "b") == "a_b");
  CHECK(clean_tag("///").empty());
}
