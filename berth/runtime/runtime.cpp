#include "berth/runtime/runtime.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

#include "berth/base/fail.h"
#include "berth/base/listed.h"
#include "berth/modules/module.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

constexpr std::array kModels{".onnx", ".xml", ".pb", ".pbtxt", ".meta", ".tflite", ".pdmodel"};
constexpr std::array kRefused{".pt", ".pth"};  // models that the runtime refuses with its reason

bool is_text(const fs::path& file) {
  std::array<char, 4096> block;
  std::ifstream stream(file, std::ios::binary);
  stream.read(block.data(), block.size());
  return std::find(block.data(), block.data() + stream.gcount(), '\0') ==
         block.data() + stream.gcount();
}

std::pair<std::string, std::vector<std::int64_t>> parse_shape(const std::string& request) {
  const std::size_t first = request.rfind('=') + 1;  // 0 without a name
  const std::string name = request.substr(0, first == 0 ? 0 : first - 1);
  std::vector<std::int64_t> shape;
  const char* at = request.data() + first;
  const char* const end = request.data() + request.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [after, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || (after != end && *after != ','))
      fail("--shape {}: expected INPUT=1,3,224,224", request);
    shape.push_back(extent);
    if (after == end) return {name, shape};
    at = after + 1;
  }
}

}  // namespace

bool is_model(const std::string& input) {
  if (input.starts_with("zoo:")) return true;
  std::error_code ignored;
  if (fs::is_directory(input, ignored))
    return fs::exists(fs::path(input) / "saved_model.pb", ignored);
  const std::string extension = fs::path(input).extension().string();
  return std::ranges::find(kModels, extension) != kModels.end() ||
         std::ranges::find(kRefused, extension) != kRefused.end();
}

void check_file_type(const std::string& input) {
  std::error_code ignored;
  if (is_model(input) || !fs::is_regular_file(input, ignored) || input.ends_with(".json") ||
      is_text(input))
    return;
  fail(
      "{}: is of no type that berth reads, expected a problem, which is text, or a "
      "model: {}, or a folder with saved_model.pb",
      input, listed(kModels));
}

ModelSource model_source(const std::string& input, std::optional<std::int64_t> batch,
                         const std::vector<std::string>& shapes) {
  ModelSource source{.spec = input, .batch = batch, .shapes = {}};
  for (const std::string& request : shapes) source.shapes.push_back(parse_shape(request));
  return source;
}

Runtime& openvino_runtime() { return load_module(ModuleKind::kOpenvino).runtime(); }

}  // namespace berth
