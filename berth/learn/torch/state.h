// Tensors in an archive, in their order, as bytes: the state of networks and optimisers.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "berth/io/archive.h"

namespace berth {

inline Archive to_archive(const std::vector<torch::Tensor>& tensors) {
  Archive archive;
  for (const torch::Tensor& tensor : tensors) {
    const torch::Tensor values = tensor.detach().contiguous();
    archive.bytes[std::to_string(archive.bytes.size())].assign(
        static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  }
  return archive;
}

// Throws std::out_of_range when they are others.
inline void restore(const Archive& archive, const std::vector<torch::Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string& bytes = archive.bytes.at(std::to_string(i));
    if (bytes.size() != tensors[i].nbytes()) throw std::out_of_range("a tensor of another size");
    std::memcpy(tensors[i].mutable_data_ptr(), bytes.data(), bytes.size());
  }
}

}  // namespace berth
