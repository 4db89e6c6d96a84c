// Inception-V3: convolutions of several sizes side by side, for images of 299 x 299.
//
// In the form of torchvision with transform_input (the image is normalised channel by channel),
// without the auxiliary head, BatchNorm folded. 728 ops and 764 edges in the compressed view, the
// count that HSDAG publishes; 23.8 million parameters, 11.4 GFLOP per image.
//
// Szegedy et al., Rethinking the Inception Architecture for Computer Vision, CVPR 2016.

#include <array>

#include "berth/zoo/network.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, size = 299, classes = 1000;
  void visit(auto& v) {
    v("batch", batch, "images per run");
    v("size", size, "height and width of the images, at least 75");
    v("classes", classes, "outputs");
  }
};

struct Convolution {
  std::int64_t channels, height, width;
  bool padded = true;  // to the size of its input
  std::int64_t stride = 1;
};

class Inception {
 public:
  explicit Inception(NetworkBuilder& net) : net_(net) {}

  // Each channel x becomes scale x + offset: from the statistics of the data set to [-1, 1].
  Value normalised(const Value& image) {
    constexpr std::array<float, 3> kScale{0.458F, 0.448F, 0.45F};
    constexpr std::array<float, 3> kOffset{-0.03F, -0.088F, -0.188F};
    std::vector<Value> channels;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::string name = "transform." + std::to_string(c);
      const Value plane = make<op::v8::Gather>(
          name + ".select", image, net_.integer(name + ".index", static_cast<std::int64_t>(c)),
          net_.integer(name + ".axis", 1));
      const Value channel = make<op::v0::Unsqueeze>(name + ".unsqueeze", plane,
                                                    net_.integer(name + ".unsqueeze.axis", 1));
      const Value scaled = net_.multiply(name + ".scaled", channel,
                                         net_.number(name + ".scale", kScale[c], {1, 1, 1, 1}));
      channels.push_back(net_.add(name + ".shifted", scaled,
                                  net_.number(name + ".offset", kOffset[c], {1, 1, 1, 1})));
    }
    return net_.concat("transform", channels, 1);
  }

  Value conv(const std::string& name, const Value& x, const Convolution& shape) {
    const auto [channels, height, width, padded, stride] = shape;
    const Shape padding = padded ? Shape{height / 2, width / 2} : Shape{0, 0};
    return net_.relu(name + ".relu",
                     net_.convolution(name, x, {channels, {height, width}, stride, padding}));
  }

  // One after another, named NAME_1, NAME_2, ...
  Value convs(const std::string& name, Value x, const std::vector<Convolution>& shapes) {
    int number = 1;
    for (const Convolution& shape : shapes)
      x = conv(name + "_" + std::to_string(number++), x, shape);
    return x;
  }

  Value pooled(const std::string& name, const Value& x, std::int64_t channels) {
    return conv(name + ".branch_pool", net_.average_pool(name + ".pool", x, 3, 1, 1),
                {channels, 1, 1});
  }

  Value block_a(const std::string& name, const Value& x, std::int64_t pool_channels) {
    const Value a = conv(name + ".branch1x1", x, {64, 1, 1});
    const Value b = convs(name + ".branch5x5", x, {{48, 1, 1}, {64, 5, 5}});
    const Value c = convs(name + ".branch3x3dbl", x, {{64, 1, 1}, {96, 3, 3}, {96, 3, 3}});
    return net_.concat(name, {a, b, c, pooled(name, x, pool_channels)}, 1);
  }

  Value block_b(const std::string& name, const Value& x) {
    const Value a = conv(name + ".branch3x3", x, {384, 3, 3, false, 2});
    const Value b =
        convs(name + ".branch3x3dbl", x, {{64, 1, 1}, {96, 3, 3}, {96, 3, 3, false, 2}});
    return net_.concat(name, {a, b, net_.max_pool(name + ".pool", x, 3, 2, 0)}, 1);
  }

  Value block_c(const std::string& name, const Value& x, std::int64_t width) {
    const Value a = conv(name + ".branch1x1", x, {192, 1, 1});
    const Value b = convs(name + ".branch7x7", x, {{width, 1, 1}, {width, 1, 7}, {192, 7, 1}});
    const Value c =
        convs(name + ".branch7x7dbl", x,
              {{width, 1, 1}, {width, 7, 1}, {width, 1, 7}, {width, 7, 1}, {192, 1, 7}});
    return net_.concat(name, {a, b, c, pooled(name, x, 192)}, 1);
  }

  Value block_d(const std::string& name, const Value& x) {
    const Value a = convs(name + ".branch3x3", x, {{192, 1, 1}, {320, 3, 3, false, 2}});
    const Value b = convs(name + ".branch7x7x3", x,
                          {{192, 1, 1}, {192, 1, 7}, {192, 7, 1}, {192, 3, 3, false, 2}});
    return net_.concat(name, {a, b, net_.max_pool(name + ".pool", x, 3, 2, 0)}, 1);
  }

  Value block_e(const std::string& name, const Value& x) {
    const Value a = conv(name + ".branch1x1", x, {320, 1, 1});
    const Value b = conv(name + ".branch3x3_1", x, {384, 1, 1});
    const Value b1 = conv(name + ".branch3x3_2a", b, {384, 1, 3});
    const Value b2 = conv(name + ".branch3x3_2b", b, {384, 3, 1});
    const Value c = convs(name + ".branch3x3dbl", x, {{448, 1, 1}, {384, 3, 3}});
    const Value c1 = conv(name + ".branch3x3dbl_3a", c, {384, 1, 3});
    const Value c2 = conv(name + ".branch3x3dbl_3b", c, {384, 3, 1});
    return net_.concat(name, {a, b1, b2, c1, c2, pooled(name, x, 192)}, 1);
  }

 private:
  NetworkBuilder& net_;
};

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  Inception inception(net);
  const Value image =
      net.input("image", ov::element::f32, {options.batch, 3, options.size, options.size});
  Value x = inception.normalised(image);
  x = inception.conv("Conv2d_1a_3x3", x, {32, 3, 3, false, 2});
  x = inception.conv("Conv2d_2a_3x3", x, {32, 3, 3, false});
  x = inception.conv("Conv2d_2b_3x3", x, {64, 3, 3});
  x = net.max_pool("maxpool1", x, 3, 2, 0);
  x = inception.conv("Conv2d_3b_1x1", x, {80, 1, 1});
  x = inception.conv("Conv2d_4a_3x3", x, {192, 3, 3, false});
  x = net.max_pool("maxpool2", x, 3, 2, 0);
  x = inception.block_a("Mixed_5b", x, 32);
  x = inception.block_a("Mixed_5c", x, 64);
  x = inception.block_a("Mixed_5d", x, 64);
  x = inception.block_b("Mixed_6a", x);
  x = inception.block_c("Mixed_6b", x, 128);
  x = inception.block_c("Mixed_6c", x, 160);
  x = inception.block_c("Mixed_6d", x, 160);
  x = inception.block_c("Mixed_6e", x, 192);
  x = inception.block_d("Mixed_7a", x);
  x = inception.block_e("Mixed_7b", x);
  x = inception.block_e("Mixed_7c", x);
  return net.build_classifier(x, options.classes);
}

}  // namespace

Network inception_v3() {
  return network<Options, build>("inception-v3", "images: parallel branches");
}

}  // namespace berth::zoo
