// Inception-V3: convolutions of several sizes side by side, for images of 299 x 299.
//
// In the form of torchvision with transform_input (the image is normalised channel by channel),
// without the auxiliary head, BatchNorm folded. 728 ops and 764 edges in the compressed view, the
// count that HSDAG publishes; 23.8 million parameters, 11.4 GFLOP per image.
//
// Szegedy et al., Rethinking the Inception Architecture for Computer Vision, CVPR 2016.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct InceptionV3Options {
  int batch = 1;
  int size = 299;
  int classes = 1000;
  void visit(auto& v) {
    v("batch", batch, "images per run");
    v("size", size, "height and width of the images, at least 75");
    v("classes", classes, "outputs");
  }
};

std::shared_ptr<ov::Model> inception_v3(const InceptionV3Options& options, bool values);

}  // namespace berth::zoo
