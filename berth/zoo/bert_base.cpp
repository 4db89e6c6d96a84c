// BERT-base: 12 transformer layers of width 768 over a sentence.
//
// As an exporter leaves it that does not fuse attention: scores, scale, mask, softmax and context
// are operators of their own; positions and the mask are computed from the shape of the input, and
// fold away when the model is opened. 1009 ops and 1071 edges in the compressed view, the count
// that HSDAG publishes. 109 million parameters.
//
// Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, NAACL 2019.

#include <cmath>
#include <numeric>

#include "berth/base/error.h"
#include "berth/zoo/network.h"

namespace berth::zoo {
namespace {

struct Options {
  int batch = 1, length = 128, layers = 12, width = 768, heads = 12, vocabulary = 30522;
  void visit(auto& v) {
    v("batch", batch, "sentences per run");
    v("length", length, "tokens per sentence, at most 512");
    v("layers", layers, "transformer layers");
    v("width", width, "of the hidden state; a multiple of heads");
    v("heads", heads, "of the attention");
    v("vocabulary", vocabulary, "rows of the word table");
  }
};

constexpr int kPositions = 512;
constexpr int kTokenTypes = 2;
constexpr float kMasked = -65504.0F;  // the lowest f16

class Bert {
 public:
  Bert(NetworkBuilder& net, const Options& options, const Value& ids)
      : net_(net), options_(options), ids_(ids) {
    const Value shape = make<op::v3::ShapeOf>("length.shape", ids);
    const Value length =
        make<op::v8::Gather>("length.scalar", shape, net.integer("length.index", 1),
                             net.integer("length.index.axis", 0));
    length_ = make<op::v0::Unsqueeze>("length", length, net.integer("length.axis", 0));
  }

  Value embeddings(const Value& types) {
    const Value words = table("embeddings.word", ids_, options_.vocabulary);
    const Value kinds = table("embeddings.token_type", types, kTokenTypes);
    const Value places = table("embeddings.position", positions(), kPositions);
    const Value sum =
        net_.add("embeddings.add_2", net_.add("embeddings.add_1", words, kinds), places);
    return net_.layer_norm("embeddings.norm", sum);
  }

  // 0 where there is a token and the lowest number where there is none, for each query and key:
  // [batch, 1, length, length].
  Value mask(const Value& given) {
    const Value truth = make<op::v0::Convert>("mask.boolean", given, ov::element::boolean);
    const Value row = make<op::v0::Unsqueeze>("mask.row", truth, net_.integer("mask.row.axis", 1));
    const Value square =
        make<op::v0::Unsqueeze>("mask.square", row, net_.integer("mask.square.axis", 2));
    const Value shape = make<op::v3::ShapeOf>("mask.shape", given);
    const Value batch = dimension("mask.batch", shape, {0});
    const Value keys = dimension("mask.keys", shape, {1});
    const Value target =
        net_.concat("mask.target", {batch, net_.integers("mask.one_head", {1}), length_, keys}, 0);
    const Value wide = make<op::v3::Broadcast>("mask.broadcast", square, target);
    const Value number = make<op::v0::Convert>("mask.number", wide, ov::element::f32);
    const Value inverted =
        make<op::v1::Subtract>("mask.inverted", net_.number("mask.one", 1), number);
    return net_.multiply("mask", inverted, net_.number("mask.lowest", kMasked));
  }

  Value layer(const std::string& name, const Value& x, const Value& mask) {
    const Value attended = net_.dense(name + ".attention.output",
                                      attention(name + ".attention", x, mask), options_.width);
    const Value y =
        net_.layer_norm(name + ".attention.norm", net_.add(name + ".attention.add", attended, x));
    const Value inner = make<op::v7::Gelu>(
        name + ".gelu", net_.dense(name + ".intermediate", y, 4 * options_.width, std::sqrt(2.0)));
    const Value outer = net_.dense(name + ".output", inner, options_.width);
    return net_.layer_norm(name + ".norm", net_.add(name + ".add", outer, y));
  }

  Value pooler(const Value& x) {
    const Value first = make<op::v8::Gather>("pooler.first", x, net_.integer("pooler.index", 0),
                                             net_.integer("pooler.axis", 1));
    return net_.tanh("pooler.tanh", net_.dense("pooler", first, options_.width));
  }

 private:
  Value table(const std::string& name, const Value& ids, std::int64_t rows) {
    const Value narrow = make<op::v0::Convert>(name + ".ids", ids, ov::element::i32);
    return net_.embedding(name, narrow, rows, options_.width);
  }

  Value dimension(const std::string& name, const Value& shape,
                  const std::vector<std::int64_t>& at) {
    return make<op::v8::Gather>(name, shape, net_.integers(name + ".index", at),
                                net_.integer(name + ".axis", 0));
  }

  // The first `length` of the numbers 0 ... 511, by the shape of the ids.
  Value positions() {
    std::vector<std::int64_t> numbers(kPositions);
    std::iota(numbers.begin(), numbers.end(), 0);
    const Value all = make<op::v0::Constant>("positions.all", ov::element::i64,
                                             ov::Shape{1, kPositions}, numbers);
    return make<op::v8::Slice>("positions", all, net_.integers("positions.start", {0}), length_,
                               net_.integers("positions.step", {1}),
                               net_.integers("positions.axes", {1}));
  }

  Value heads(const std::string& name, const Value& x) {
    return net_.split_heads(name, net_.dense(name, x, options_.width), options_.heads);
  }

  Value attention(const std::string& name, const Value& x, const Value& mask) {
    const Value q = heads(name + ".query", x), k = heads(name + ".key", x);
    const float scale = 1 / std::sqrt(static_cast<float>(options_.width / options_.heads));
    const Value scores = net_.multiply(name + ".scores", net_.product(name + ".qk", q, k, true),
                                       net_.number(name + ".scale", scale));
    return net_.mixed_heads(name, net_.add(name + ".masked", scores, mask),
                            heads(name + ".value", x));
  }

  NetworkBuilder& net_;
  const Options& options_;
  Value ids_, length_;
};

std::shared_ptr<ov::Model> build(NetworkBuilder& net, const Options& options) {
  if (options.length > kPositions)
    throw Error("zoo:bert-base(length=...): has 512 positions, expected at most as many tokens");
  if (options.width % options.heads != 0)
    throw Error("zoo:bert-base(width=...): expected a multiple of heads");
  const std::vector<std::int64_t> shape{options.batch, options.length};
  const Value ids = net.input("input_ids", ov::element::i64, shape);
  const Value given = net.input("attention_mask", ov::element::i64, shape);
  const Value types = net.input("token_type_ids", ov::element::i64, shape);
  Bert bert(net, options, ids);
  const Value mask = bert.mask(given);
  Value x = bert.embeddings(types);
  for (int layer = 0; layer < options.layers; ++layer)
    x = bert.layer("layer." + std::to_string(layer), x, mask);
  return net.build({{"last_hidden_state", x}, {"pooler_output", bert.pooler(x)}});
}

}  // namespace

Network bert_base() {
  return network<Options, build>("bert-base", "language: transformer encoder");
}

}  // namespace berth::zoo
