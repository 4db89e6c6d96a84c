// ResNet-50: 16 bottleneck blocks in four stages, for images of 224 x 224.
//
// In the form of torchvision (the stride sits on the 3 x 3 convolution of a block), BatchNorm
// folded. 396 ops and 411 edges in the compressed view, the count that HSDAG publishes; 25.6
// million parameters and 8.2 GFLOP per image.
//
// He et al., Deep Residual Learning for Image Recognition, CVPR 2016.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct Resnet50Options {
  int batch = 1;
  int size = 224;
  int classes = 1000;
  void visit(auto& v) {
    v("batch", batch, "images per run");
    v("size", size, "height and width of the images");
    v("classes", classes, "outputs");
  }
};

std::shared_ptr<ov::Model> resnet_50(const Resnet50Options& options, bool values);

}  // namespace berth::zoo
