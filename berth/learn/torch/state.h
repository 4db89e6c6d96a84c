// The state of a network in an archive: its tensors by name, as bytes.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

#include <torch/torch.h>

#include "berth/io/archive.h"

namespace berth {

inline std::string bytes_of(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.detach().contiguous();
  return {static_cast<const char*>(values.const_data_ptr()), values.nbytes()};
}

// Throws std::out_of_range when they are those of another tensor.
inline void set_bytes(torch::Tensor tensor, const std::string& bytes) {
  if (bytes.size() != tensor.nbytes()) throw std::out_of_range("a tensor of another size");
  std::memcpy(tensor.mutable_data_ptr(), bytes.data(), bytes.size());
}

inline void save(const torch::nn::Module& network, Archive& archive) {
  for (const auto& item : network.named_parameters())
    archive.bytes[item.key()] = bytes_of(item.value());
}

inline void load(torch::nn::Module& network, const Archive& archive) {
  for (const auto& item : network.named_parameters())
    set_bytes(item.value(), archive.bytes.at(item.key()));
}

}  // namespace berth
