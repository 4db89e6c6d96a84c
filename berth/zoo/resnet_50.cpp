// ResNet-50: 16 bottleneck blocks in four stages, for images of 224 x 224.
//
// In the form of torchvision (the stride sits on the 3 x 3 convolution of a block), BatchNorm
// folded. 396 ops and 411 edges in the compressed view, the count that HSDAG publishes; 25.6
// million parameters and 8.2 GFLOP per image.
//
// He et al., Deep Residual Learning for Image Recognition, CVPR 2016.

#include <array>

#include "berth/zoo/network.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, size = 224, classes = 1000;
  void visit(auto& v) {
    v("batch", batch, "images per run");
    v("size", size, "height and width of the images");
    v("classes", classes, "outputs");
  }
};

// The last convolution of a branch is scaled down, so that sums over many blocks stay small.
constexpr double kBranchGain = 0.5;

struct Stage {
  int blocks;
  std::int64_t width;
  std::int64_t stride;  // of its first block
};
constexpr std::array kStages{Stage{3, 64, 1}, Stage{4, 128, 2}, Stage{6, 256, 2}, Stage{3, 512, 2}};

Value bottleneck(NetworkBuilder& net, const std::string& name, const Value& x, std::int64_t width,
                 std::int64_t stride) {
  const std::int64_t channels = 4 * width;
  Value y = net.relu(name + ".relu1", net.convolution(name + ".conv1", x, {.channels = width}));
  y = net.relu(
      name + ".relu2",
      net.convolution(name + ".conv2", y,
                      {.channels = width, .kernel = {3, 3}, .stride = stride, .padding = {1, 1}}));
  y = net.convolution(name + ".conv3", y, {.channels = channels}, kBranchGain);
  Value shortcut = x;
  if (stride != 1 || extent(x, 1) != channels)
    shortcut = net.convolution(name + ".downsample", x, {.channels = channels, .stride = stride});
  return net.relu(name + ".relu3", net.add(name + ".add", y, shortcut));
}

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  const Value image =
      net.input("image", ov::element::f32, {options.batch, 3, options.size, options.size});
  Value x = net.convolution("conv1", image,
                            {.channels = 64, .kernel = {7, 7}, .stride = 2, .padding = {3, 3}});
  x = net.max_pool("maxpool", net.relu("relu", x), 3, 2, 1);
  for (std::size_t s = 0; s < kStages.size(); ++s)
    for (int block = 0; block < kStages[s].blocks; ++block)
      x = bottleneck(net, "layer" + std::to_string(s + 1) + "." + std::to_string(block), x,
                     kStages[s].width, block == 0 ? kStages[s].stride : 1);
  return net.build_classifier(x, options.classes);
}

}  // namespace

Network resnet_50() { return network<Options, build>("resnet-50", "images: residual blocks"); }

}  // namespace berth::zoo
