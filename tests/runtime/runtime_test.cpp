#include "berth/runtime/runtime.h"

#include <doctest/doctest.h>

#include "berth/base/error.h"

using namespace berth;

TEST_CASE("models are told by their names") {
  for (const char* model : {"zoo:gnmt(layers=8)", "net.onnx", "a/net.xml", "net.pdmodel", "net.pt"})
    CHECK(is_model(model));
  for (const char* other : {"problem.json", "-", "net", "net.gguf", "net.onnx.gz", "zoo", "tests"})
    CHECK_FALSE(is_model(other));
}

TEST_CASE("shapes belong to the input before the last equals sign, or to the only one") {
  const ModelSource source = model_source("net.onnx", 8, {"a=b=1,3,224", "7"});
  CHECK(source.spec == "net.onnx");
  CHECK(source.batch == 8);
  REQUIRE(source.shapes.size() == 2);
  CHECK(source.shapes[0] == std::pair{std::string("a=b"), std::vector<std::int64_t>{1, 3, 224}});
  CHECK(source.shapes[1] == std::pair{std::string(), std::vector<std::int64_t>{7}});
  for (const char* wrong : {"", "a=", "a=1,", "a=0", "a=1;2", "a=x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(model_source("net.onnx", {}, {wrong}),
                         doctest::Contains("expected INPUT=1,3,224,224"), Error);
  }
}
