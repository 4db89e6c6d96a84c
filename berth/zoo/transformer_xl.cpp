// Transformer-XL: attention that reaches back into the segment before, with relative positions.
//
// The text is cut into segments. In layer n, segment t attends over its own states and those of
// segment t - 1 after layer n - 1 (the memory). A score has four parts; two biases u, v replace the
// position of the query:
//   score_ij = (q_i + u) . k_j + (q_i + v) . r_{i-j}
// The second product is computed for all distances at once and shifted row by row: pad with one
// column, reshape, drop the first row.
//
// Dai et al., Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context, ACL 2019.

#include <cmath>

#include "berth/base/error.h"
#include "berth/zoo/network.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, layers = 4, segments = 4, length = 64, width = 512, heads = 8, vocabulary = 32000;
  void visit(auto& v) {
    v("batch", batch, "texts per run");
    v("layers", layers, "transformer layers");
    v("segments", segments, "one after another, unrolled");
    v("length", length, "words per segment");
    v("width", width, "of the hidden state; a multiple of heads");
    v("heads", heads, "of the attention");
    v("vocabulary", vocabulary, "words");
  }
};

// The weights of one layer, shared by all segments.
struct Layer {
  std::string name;
  Value query, key, value, position, output, inner, outer;
  Value key_bias, position_bias;  // u and v
  Value inner_bias, outer_bias;
  Value norm1_scale, norm1_shift, norm2_scale, norm2_shift;
};

class TransformerXl {
 public:
  TransformerXl(NetworkBuilder& net, const Options& options) : net_(net), options_(options) {
    for (int i = 0; i < options.layers; ++i) layers_.push_back(layer("layer" + std::to_string(i)));
  }

  // One output per segment of ids [batch, segments * length].
  std::vector<Value> run(const Value& ids) {
    const Value words = net_.embedding("embedding", ids, options_.vocabulary, options_.width);
    std::vector<Value> memory(layers_.size()), outputs;
    for (int segment = 0; segment < options_.segments; ++segment) {
      const std::string at = "segment" + std::to_string(segment);
      Value x = slice(at, words, 1, segment * options_.length, (segment + 1) * options_.length);
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        const Value before = x;
        x = run_layer(at + "." + layers_[i].name, layers_[i], x, memory[i]);
        memory[i] = before;
      }
      outputs.push_back(x);
    }
    return outputs;
  }

 private:
  Value square(const std::string& name) {
    return net_.weight(name, {options_.width, options_.width}, 1 / std::sqrt(options_.width));
  }

  Layer layer(const std::string& name) {
    const std::int64_t width = options_.width, heads = options_.heads;
    const Shape by_head{1, heads, 1, width / heads}, row{1, 1, width}, wide{1, 1, 4 * width};
    return {
        .name = name,
        .query = square(name + ".query"),
        .key = square(name + ".key"),
        .value = square(name + ".value"),
        .position = square(name + ".position"),
        .output = square(name + ".output"),
        .inner = net_.weight(name + ".inner", {width, 4 * width}, std::sqrt(2.0 / options_.width)),
        .outer = net_.weight(name + ".outer", {4 * width, width}, std::sqrt(0.25 / options_.width)),
        .key_bias = net_.bias(name + ".key_bias", by_head),
        .position_bias = net_.bias(name + ".position_bias", by_head),
        .inner_bias = net_.bias(name + ".inner_bias", wide),
        .outer_bias = net_.bias(name + ".outer_bias", row),
        .norm1_scale = net_.scale(name + ".norm1_scale", row),
        .norm1_shift = net_.bias(name + ".norm1_shift", row),
        .norm2_scale = net_.scale(name + ".norm2_scale", row),
        .norm2_shift = net_.bias(name + ".norm2_shift", row)};
  }

  Value slice(const std::string& name, const Value& x, std::int64_t axis, std::int64_t from,
              std::int64_t to) {
    return make<op::v8::Slice>(
        name, x, net_.integers(name + ".from", {from}), net_.integers(name + ".to", {to}),
        net_.integers(name + ".step", {1}), net_.integers(name + ".axis", {axis}));
  }

  // Sinusoids of the distances length - 1 ... 0: [1, length, width].
  Value distances(const std::string& name, std::int64_t length) {
    std::vector<float> values;
    for (std::int64_t position = length - 1; position >= 0; --position)
      for (std::int64_t i = 0; i < options_.width; ++i) {
        const double rate = std::pow(10000.0, -2.0 * static_cast<double>(i / 2) / options_.width);
        const double angle = static_cast<double>(position) * rate;
        values.push_back(static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle)));
      }
    return constant(name, {1, length, options_.width}, values);
  }

  // x [batch, length, width] times a weight, as [batch, heads, length, width / heads].
  Value heads(const std::string& name, const Value& x, const Value& weight) {
    return net_.split_heads(name, net_.product(name, x, weight), options_.heads);
  }

  // Row i of [.., length, reach] moves left by length - 1 - i.
  Value shifted(const std::string& name, const Value& x) {
    const std::int64_t batch = extent(x, 0), heads = extent(x, 1);
    const std::int64_t length = extent(x, 2), reach = extent(x, 3);
    const Value zeros = constant(name + ".zeros", {batch, heads, length, 1}, {0.0F});
    const Value padded = net_.concat(name + ".padded", {zeros, x}, 3);
    const Value turned = net_.reshape(name + ".turned", padded, {batch, heads, reach + 1, length});
    return net_.reshape(name, slice(name + ".rest", turned, 2, 1, reach + 1),
                        {batch, heads, length, reach});
  }

  // 0 for what lies before a word, and the lowest f16 for what follows: [1, 1, length, reach].
  Value causal_mask(const std::string& name, std::int64_t length, std::int64_t reach) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < length; ++i)
      for (std::int64_t j = 0; j < reach; ++j)
        values.push_back(j <= i + reach - length ? 0.0F : -65504.0F);
    return constant(name, {1, 1, length, reach}, values);
  }

  Value attention(const std::string& at, const Layer& layer, const Value& x, const Value& memory) {
    const Value context =
        memory.get_node() == nullptr ? x : net_.concat(at + ".reach", {memory, x}, 1);
    const std::int64_t length = extent(x, 1), reach = extent(context, 1);
    const Value q = heads(at + ".query", x, layer.query);
    const Value k = heads(at + ".key", context, layer.key);
    const Value v = heads(at + ".value", context, layer.value);
    const Value r = heads(at + ".position", distances(at + ".distances", reach), layer.position);
    const Value by_content = net_.product(
        at + ".by_content", net_.add(at + ".query_key_bias", q, layer.key_bias), k, true);
    const Value by_position =
        net_.product(at + ".by_position",
                     net_.add(at + ".query_position_bias", q, layer.position_bias), r, true);
    const Value sum = net_.add(at + ".scores", by_content, shifted(at + ".shifted", by_position));
    const float scale = 1 / std::sqrt(static_cast<float>(options_.width / options_.heads));
    const Value scaled = net_.multiply(at + ".scaled", sum, net_.number(at + ".scale", scale));
    const Value masked = net_.add(at + ".masked", scaled, causal_mask(at + ".mask", length, reach));
    return net_.product(at + ".output", net_.mixed_heads(at, masked, v), layer.output);
  }

  Value run_layer(const std::string& at, const Layer& layer, const Value& x, const Value& memory) {
    const Value sum = net_.add(at + ".add", attention(at, layer, x, memory), x);
    const Value y = net_.normalised(at + ".norm1", sum, layer.norm1_scale, layer.norm1_shift);
    const Value inner = net_.product(at + ".inner", y, layer.inner);
    const Value active =
        net_.relu(at + ".relu", net_.add(at + ".inner_add", inner, layer.inner_bias));
    const Value outer = net_.product(at + ".outer", active, layer.outer);
    const Value total =
        net_.add(at + ".outer_sum", net_.add(at + ".outer_add", outer, layer.outer_bias), y);
    return net_.normalised(at + ".norm2", total, layer.norm2_scale, layer.norm2_shift);
  }

  NetworkBuilder& net_;
  const Options& options_;
  std::vector<Layer> layers_;
};

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  if (options.width % options.heads != 0)
    throw Error("zoo:transformer-xl(width=...): expected a multiple of heads");
  const Value ids = net.input("ids", ov::element::i64,
                              {options.batch, std::int64_t{options.segments} * options.length});
  const std::vector<Value> outputs = TransformerXl(net, options).run(ids);
  const Value joined = net.concat("output.joined", outputs, 1);
  return net.build({{"words", net.softmax("output.softmax",
                                          net.dense("output", joined, options.vocabulary), -1)}});
}

}  // namespace

Network transformer_xl() {
  return network<Options, build>("transformer-xl",
                                 "language: attention over segments, relative positions");
}

}  // namespace berth::zoo
