// OpenVINO as a Runtime: one ov::Core, and one file per service.
//
//   open, zoo                                   open.cpp
//   devices, supported, version, device_class   devices.cpp
//   measure_device, measure_link                probes.cpp
//   measure_ops                                 profiler.cpp
//   prepare, prepare_single                     prepare.cpp
//   export_pieces                               export.cpp
#pragma once

#include "berth/runtime/openvino/compile_cache.h"

namespace berth {

class OpenvinoRuntime final : public Runtime {
 public:
  std::unique_ptr<Model> open(const ModelSource& source) override;
  std::vector<ZooNetwork> zoo() const override;
  std::vector<RealDevice> devices(std::optional<int> groups) override;
  std::string version() const override;
  std::string device_class(const RealDevice& device) const override;
  DeviceSpeed measure_device(const RealDevice& device) override;
  LinkSpeed measure_link(const RealDevice& from, const RealDevice& to) override;
  OpTimes measure_ops(const Model& model, std::span<const RealDevice> devices,
                      RecordFile& cache) override;
  std::unique_ptr<Executor> prepare(const Model& model, std::span<const RealDevice> devices,
                                    const Placement& placement, ExecutorKind kind) override;
  ExportedFiles export_pieces(const Model& model, std::span<const std::string> devices,
                              const Placement& placement, ExecutorKind kind,
                              const std::filesystem::path& folder) override;
  std::unique_ptr<Executor> prepare_single(const Model& model, const RealDevice& device,
                                           int streams) override;

  // Whether each node runs on the device, by OpenVINO's own word.
  std::vector<bool> supported(const Model& model, const RealDevice& device);
  std::size_t compiled_count() const { return compiled_.compiled_count(); }

 private:
  ov::Core core_;
  CompileCache compiled_{core_};
};

}  // namespace berth
