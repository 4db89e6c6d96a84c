// AmoebaNet-D: an image network whose cells were found by evolution.
//
// Two kinds of cells. A cell has two inputs, the outputs of the two cells before it, each brought
// to the cell's width; five times it adds two operations on earlier results, and joins some of the
// results. A reduction cell halves the image and doubles the width. Stem, two reductions, then
// three runs of normal cells with reductions between them; images of 224 x 224.
//
// Real et al., Regularized Evolution for Image Classifier Architecture Search, AAAI 2019.

#include <utility>

#include "berth/base/error.h"
#include "berth/zoo/network.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, size = 224, cells = 18, filters = 208, classes = 1000;
  void visit(auto& v) {
    v("batch", batch, "images per run");
    v("size", size, "height and width of the images; a multiple of 32");
    v("cells", cells, "normal cells; a multiple of 3");
    v("filters", filters, "width of the network; a multiple of 8");
    v("classes", classes, "outputs");
  }
};

// Sums of two branches per result, ten cells deep: each convolution keeps half the variance.
constexpr double kGain = 0.7;

enum class Operation { kNone, kAveragePool3, kMaxPool2, kMaxPool3, kConv1, kConv3, kConv1x7 };

struct Step {
  std::size_t from;  // 0: the cell before, 1: the one before that, 2...: results of earlier pairs
  Operation operation;
};

struct CellKind {
  struct Pair {
    Step first, second;
  } pairs[5];                       // that are added
  std::vector<std::size_t> joined;  // results that make up the output
};

const CellKind& normal_cell() {
  using enum Operation;
  static const CellKind kCell{.pairs = {{{1, kConv1}, {1, kMaxPool3}},
                                        {{1, kNone}, {0, kConv1x7}},
                                        {{0, kConv1}, {0, kConv1x7}},
                                        {{2, kMaxPool3}, {2, kNone}},
                                        {{1, kAveragePool3}, {5, kConv1}}},
                              .joined = {0, 3, 4, 6}};
  return kCell;
}

const CellKind& reduction_cell() {
  using enum Operation;
  static const CellKind kCell{.pairs = {{{0, kMaxPool2}, {0, kMaxPool3}},
                                        {{2, kNone}, {1, kConv3}},
                                        {{2, kConv1x7}, {2, kMaxPool3}},
                                        {{3, kNone}, {1, kMaxPool2}},
                                        {{2, kAveragePool3}, {3, kConv1}}},
                              .joined = {4, 5, 6}};
  return kCell;
}

class Amoebanet {
 public:
  Amoebanet(NetworkBuilder& net, const Value& image, std::int64_t width)
      : net_(net), width_(width) {
    last_ = before_ = net.convolution(
        "stem", image, {.channels = width, .kernel = {3, 3}, .stride = 2, .padding = {1, 1}});
  }

  void reduction(const std::string& name) {
    width_ *= 2;
    run(name, reduction_cell(), 2);
  }
  void normal(const std::string& name) { run(name, normal_cell(), 1); }
  const Value& output() const { return last_; }

 private:
  Value conv(const std::string& name, const Value& x, std::int64_t channels, std::int64_t height,
             std::int64_t width, std::int64_t stride) {
    return net_.convolution(name, net_.relu(name + ".relu", x),
                            {channels, {height, width}, stride, {height / 2, width / 2}}, kGain);
  }

  // Convolutions other than 1 x 1 work at a quarter of the width.
  Value applied(const std::string& name, Operation operation, const Value& x, std::int64_t stride) {
    const std::int64_t narrow = width_ / 4;
    switch (operation) {
      case Operation::kNone:
        return stride == 1 ? x : conv(name, x, width_, 1, 1, stride);
      case Operation::kAveragePool3:
        return net_.average_pool(name, x, 3, stride, 1);
      case Operation::kMaxPool2:
        return net_.max_pool(name, x, 2, stride, 0);
      case Operation::kMaxPool3:
        return net_.max_pool(name, x, 3, stride, 1);
      case Operation::kConv1:
        return conv(name, x, width_, 1, 1, stride);
      case Operation::kConv3: {
        const Value in = conv(name + ".in", x, narrow, 1, 1, 1);
        return conv(name + ".out", conv(name + ".3x3", in, narrow, 3, 3, stride), width_, 1, 1, 1);
      }
      case Operation::kConv1x7: {
        const Value in = conv(name + ".in", x, narrow, 1, 1, 1);
        const Value across = conv(name + ".1x7", in, narrow, 1, 7, stride);
        return conv(name + ".out", conv(name + ".7x1", across, narrow, 7, 1, 1), width_, 1, 1, 1);
      }
    }
    return x;
  }

  // The input at the size and width of the cell.
  Value fitted(const std::string& name, const Value& x) {
    const std::int64_t stride = extent(x, 2) / extent(last_, 2);
    if (stride == 1 && extent(x, 1) == width_) return x;
    return conv(name, x, width_, 1, 1, stride);
  }

  void run(const std::string& name, const CellKind& kind, std::int64_t stride) {
    std::vector<Value> states{conv(name + ".last", last_, width_, 1, 1, 1),
                              fitted(name + ".before", before_)};
    int operations = 0, sums = 0;
    const auto branch = [&](const Step& step) {
      return applied(name + ".op" + std::to_string(operations++), step.operation, states[step.from],
                     step.from < 2 ? stride : 1);
    };
    for (const auto& [first, second] : kind.pairs) {
      const Value a = branch(first), b = branch(second);
      states.push_back(net_.add(name + ".add" + std::to_string(sums++), a, b));
    }
    std::vector<Value> joined;
    for (const std::size_t at : kind.joined) joined.push_back(states[at]);
    before_ = std::exchange(last_, net_.concat(name, joined, 1));
  }

  NetworkBuilder& net_;
  std::int64_t width_;
  Value last_, before_;
};

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  if (options.cells % 3 != 0 || options.filters % 8 != 0 || options.size % 32 != 0)
    throw Error(
        "zoo:amoebanet: expected cells to be a multiple of 3, filters of 8, and size of 32");
  const Value image =
      net.input("image", ov::element::f32, {options.batch, 3, options.size, options.size});
  Amoebanet cells(net, image, options.filters / 4);
  cells.reduction("stem2");
  cells.reduction("stem3");
  for (int run = 0; run < 3; ++run) {
    if (run > 0) cells.reduction("reduction" + std::to_string(run));
    for (int cell = 0; cell < options.cells / 3; ++cell)
      cells.normal("normal" + std::to_string(run) + "." + std::to_string(cell));
  }
  return net.build_classifier(cells.output(), options.classes);
}

}  // namespace

Network amoebanet() { return network<Options, build>("amoebanet", "images: evolved cells"); }

}  // namespace berth::zoo
