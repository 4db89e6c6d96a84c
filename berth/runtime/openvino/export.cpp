// A placement as files that run without berth.
//
//   piece_0000@CPU0.xml, .bin   one sub-model per piece; their numbers are an order that works
//   pieces.tsv                  these files in that order, and the device of each
//   manifest.json               which tensor goes where, and which operators are in which piece
//   model.xml, .bin             the whole model
//   affinities.tsv              the device of every operator in it, as HETERO wants it
//   run_pieces.cpp              a short example
//
// Tensors between pieces have the name "operator:port" on both sides, so that whoever keeps tensors
// by name needs nothing else to run the pieces.

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/io/files.h"
#include "berth/io/json_writer.h"
#include "berth/runtime/openvino/arrays.h"
#include "berth/runtime/openvino/error_text.h"
#include "berth/runtime/openvino/hetero.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/sim/replicas.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExample = R"(// Runs the pieces of a folder in order, on inputs of zeros.
#include <cstring>
#include <fstream>
#include <iostream>
#include <openvino/openvino.hpp>

int main(int, char** words) {
  const std::string folder = std::string(words[1]) + "/";
  std::ifstream list(folder + "pieces.tsv");
  ov::Core core;
  std::map<std::string, ov::Tensor> tensors;  // by name: what one piece leaves another one takes
  for (std::string file, device; list >> file >> device;) {
    auto piece = core.compile_model(folder + file, device, ov::hint::inference_precision(ov::element::f32));
    auto request = piece.create_infer_request();
    for (const auto& input : piece.inputs()) {
      auto [at, is_new] = tensors.try_emplace(input.get_any_name(), input.get_element_type(), input.get_shape());
      if (is_new) std::memset(at->second.data(), 0, at->second.get_byte_size());
      request.set_tensor(input, at->second);
    }
    request.infer();
    for (const auto& output : piece.outputs()) tensors[output.get_any_name()] = request.get_tensor(output);
  }
  for (const auto& [name, tensor] : tensors)
    if (tensor.get_element_type() == ov::element::f32) std::cout << name << " begins with " << tensor.data<float>()[0] << "\n";
}
)";

// The device as OpenVINO itself knows it: groups of cores are berth's.
std::string plugin_name(const std::string& device) {
  return device.starts_with("CPU") ? "CPU" : device;
}

void name_tensors(const SubModel& piece) {
  for (std::size_t i = 0; i < piece.inputs.size(); ++i)
    piece.model->input(i).get_tensor().set_names({tensor_name(piece.inputs[i])});
  for (std::size_t i = 0; i < piece.outputs.size(); ++i)
    piece.model->output(i).get_tensor().set_names({tensor_name(piece.outputs[i])});
}

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure || !fs::is_directory(folder))
    fail("{}: cannot be made a folder: {}", folder.string(),
         failure ? failure.message() : "something else has that name");
}

// Files of an earlier export would be taken for pieces of this one.
void remove_old_pieces(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("piece_")) fs::remove(entry.path());
}

void serialize(const std::shared_ptr<ov::Model>& model, const fs::path& file) {
  explain_refusal<std::exception>(file.string() + ": cannot be written",
                                  [&] { ov::serialize(model, file.string()); });
}

template <class Items, class Text>
void write_list(JsonWriter& json, const char* key, const Items& items, const Text& text) {
  json.array(key, [&] {
    for (const auto& item : items) json.value(text(item));
  });
}

std::string manifest(const OpenvinoModel& model, const Placement& placement, const Pieces& pieces,
                     const std::vector<SubModel>& subs, const std::vector<std::string>& files,
                     std::span<const std::string> devices) {
  const std::vector<std::vector<NodeId>> members = members_of(pieces);
  JsonWriter json;
  json.open_object();
  json.member("berth_pieces", std::int64_t{1});
  json.member("model", model.name());
  write_list(json, "inputs", model.ov_model()->get_parameters(),
             [](const auto& parameter) { return parameter->get_friendly_name(); });
  json.line(1);
  json.array("outputs", [&] {
    const std::vector<std::string> names = output_names(*model.ov_model());
    for (std::size_t i = 0; i < names.size(); ++i) {
      json.open_object();
      json.member("name", names[i]);
      json.member("tensor", tensor_name(model.ov_model()->get_results()[i]->input_value(0)));
      json.close_object();
    }
  });
  json.line(1);
  json.array("pieces", [&] {
    for (std::size_t p = 0; p < subs.size(); ++p) {
      json.line(2);
      json.open_object();
      json.member("file", files[p]);
      json.member("device", devices[index(pieces.device[p])]);
      if (!placement.replicas.empty()) {
        const std::vector<DeviceId> on = sharers(placement, pieces.device[p]);
        write_list(json, "replicas", std::span(on).subspan(1),
                   [&](DeviceId device) { return devices[index(device)]; });
      }
      write_list(json, "inputs", subs[p].inputs, tensor_name);
      write_list(json, "outputs", subs[p].outputs, tensor_name);
      write_list(json, "nodes", members[p],
                 [&](NodeId node) { return model.graph().node(node).name; });
      json.close_object();
    }
  });
  json.close_object();
  return std::move(json).finish();
}

std::string affinities(const ov::Model& model) {
  std::string text;
  for (const auto& op : model.get_ordered_ops())
    text += fmt::format("{}\t{}\n", op->get_friendly_name(), *affinity_of(*op));
  return text;
}

}  // namespace

ExportedFiles OpenvinoRuntime::export_pieces(const Model& model,
                                             std::span<const std::string> devices,
                                             const Placement& placement, ExecutorKind kind,
                                             const fs::path& folder) {
  const OpenvinoModel& ours = openvino_model(model);
  const Pieces pieces = pieces_of(model.graph(), placement, kind);
  make_folder(folder);
  remove_old_pieces(folder);
  std::vector<SubModel> subs;
  std::vector<std::string> files;
  for (const std::vector<NodeId>& nodes : members_of(pieces)) {
    subs.push_back(cut_out(ours, nodes));
    name_tensors(subs.back());
    files.push_back(fmt::format("piece_{:04}@{}.xml", files.size(),
                                devices[index(pieces.device[files.size()])]));
    serialize(subs.back().model, folder / files.back());
  }
  const std::shared_ptr<ov::Model> annotated = with_affinities(ours, devices, placement);
  serialize(annotated, folder / "model.xml");
  write_file_atomically(folder / "affinities.tsv", affinities(*annotated));
  std::string list;
  for (std::size_t p = 0; p < files.size(); ++p)
    list += fmt::format("{}\t{}\n", files[p], plugin_name(devices[index(pieces.device[p])]));
  write_file_atomically(folder / "pieces.tsv", list);
  write_file_atomically(folder / "manifest.json",
                        manifest(ours, placement, pieces, subs, files, devices));
  write_file_atomically(folder / "run_pieces.cpp", kExample);
  ExportedFiles result{.pieces = files.size()};
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) result.size += Bytes{static_cast<std::int64_t>(entry.file_size())};
  return result;
}

}  // namespace berth
