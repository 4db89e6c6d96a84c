#include "berth/learn/torch/placeto/network.h"

#include <cmath>

#include "berth/learn/torch/graph_layers.h"

namespace berth {
namespace {

SparseMatrix sum_over(const Adjacency& neighbours) {
  std::vector<SparseMatrix::Entry> entries;
  for (std::size_t v = 0; v < neighbours.size(); ++v)
    for (const std::uint32_t u : neighbours[v])
      entries.push_back({static_cast<std::int64_t>(v), u, 1.0F});
  const std::int64_t nodes = static_cast<std::int64_t>(neighbours.size());
  return SparseMatrix(nodes, nodes, entries);
}

}  // namespace

PlacetoGraph::PlacetoGraph(const PolicyGraph& graph)
    : arriving{sum_over(graph.predecessors), sum_over(graph.successors)} {
  std::vector<float> has;
  for (const Adjacency* neighbours : {&graph.predecessors, &graph.successors})
    for (const std::vector<std::uint32_t>& all : *neighbours) has.push_back(all.empty() ? 0 : 1);
  has_neighbours = torch::tensor(has).reshape({2, 1, -1, 1});
}

PlacetoVisits::PlacetoVisits(const VisitOrder& order, std::size_t first_step, std::size_t steps) {
  const std::int64_t nodes = static_cast<std::int64_t>(order.size());
  const std::int64_t count = static_cast<std::int64_t>(steps);
  std::vector<std::int64_t> visited;
  related = torch::zeros({3, 1, nodes, count, 1});
  auto mask = related.accessor<float, 5>();
  for (std::int64_t s = 0; s < count; ++s) {
    const std::uint32_t set = order[first_step + static_cast<std::size_t>(s)];
    visited.push_back(set);
    for (std::int64_t other = 0; other < nodes; ++other) {
      const Relation relation = order.relation(set, static_cast<std::uint32_t>(other));
      if (relation != Relation::kSelf)
        mask[static_cast<std::int64_t>(relation)][0][other][s][0] = 1;
    }
  }
  node = index_tensor(visited);
  has_related = related.amax(2);
}

SideBySideImpl::SideBySideImpl(std::int64_t layers, std::int64_t in, std::int64_t out)
    : weight_(register_parameter("weight", torch::empty({layers, out, in}))),
      bias_(register_parameter("bias", torch::empty({layers, out, 1}))) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  torch::nn::init::uniform_(weight_, -bound, bound);
  torch::nn::init::uniform_(bias_, -bound, bound);
}

torch::Tensor SideBySideImpl::forward(const torch::Tensor& x) {
  return torch::baddbmm(bias_, weight_, x);
}

PlacetoNetworkImpl::PlacetoNetworkImpl(std::int64_t features, std::int64_t devices,
                                       std::int64_t rounds)
    : rounds_(rounds) {
  const std::int64_t e = features;
  const auto add = [&](const char* name, std::vector<SideBySide>& to, std::int64_t layers,
                       std::int64_t in, std::int64_t out) {
    to.push_back(register_module(name + std::to_string(to.size()), SideBySide(layers, in, out)));
  };
  for (int i = 0; i < 3; ++i) add("in", in_, 1, e, e);
  for (int i = 0; i < 4; ++i) add("message", message_, 2, e, e);  // f, f, g, g
  add("pool", pool_, 1, 2 * e, 6 * e);  // the first layers of f, which all see z
  for (int i = 0; i < 3; ++i) add("pool", pool_, 3, 2 * e, 2 * e);
  add("out", out_, 1, 8 * e, 16 * e);
  add("out", out_, 1, 16 * e, 8 * e);
  add("out", out_, 1, 8 * e, devices);
}

torch::Tensor PlacetoNetworkImpl::encode(const torch::Tensor& x, const PlacetoGraph& graph) {
  const std::int64_t e = x.size(0), nodes = x.size(1), batch = x.size(2) * x.size(3);
  torch::Tensor start = torch::relu(in_[0](x.reshape({1, e, nodes * batch})));
  start = in_[2](torch::relu(in_[1](start))).expand({2, e, nodes * batch});
  torch::Tensor z = start;
  for (std::int64_t round = 0; round < rounds_; ++round) {
    const torch::Tensor sent =
        torch::relu(message_[1](torch::relu(message_[0](z)))).reshape({2, e, nodes, batch});
    const torch::Tensor sums =
        torch::stack({graph.arriving[0](sent[0]), graph.arriving[1](sent[1])});
    const torch::Tensor taken =
        torch::relu(message_[3](torch::relu(message_[2](sums.reshape({2, e, nodes * batch})))));
    const torch::Tensor kept = taken.reshape({2, e, nodes, batch}) * graph.has_neighbours;
    z = kept.reshape({2, e, nodes * batch}) + start;
  }
  return z.reshape({2 * e, nodes, x.size(2), x.size(3)});
}

torch::Tensor PlacetoNetworkImpl::related(const torch::Tensor& z, const PlacetoVisits& visits) {
  const std::int64_t width = z.size(0), nodes = z.size(1), steps = z.size(2), episodes = z.size(3);
  const std::int64_t all = nodes * steps * episodes;
  const torch::Tensor first = torch::relu(pool_[0](z.reshape({1, width, all})));
  const torch::Tensor sent = torch::relu(pool_[1](first.reshape({3, width, all})));
  const torch::Tensor sums =
      (sent.reshape({3, width, nodes, steps, episodes}) * visits.related).sum(2);
  const torch::Tensor taken =
      torch::relu(pool_[3](torch::relu(pool_[2](sums.reshape({3, width, steps * episodes})))));
  return (taken.reshape({3, width, steps, episodes}) * visits.has_related)
      .reshape({3 * width, steps * episodes});
}

torch::Tensor PlacetoNetworkImpl::forward(const torch::Tensor& x, const PlacetoGraph& graph,
                                          const PlacetoVisits& visits) {
  const std::int64_t steps = x.size(2), episodes = x.size(3);
  const torch::Tensor z = encode(x, graph);
  const torch::Tensor own =
      z.index({torch::indexing::Slice(), visits.node, torch::arange(steps, torch::kLong)})
          .reshape({z.size(0), steps * episodes});
  const torch::Tensor seen = torch::cat({own, related(z, visits)}).unsqueeze(0);
  const torch::Tensor logits = out_[2](torch::relu(out_[1](torch::relu(out_[0](seen)))));
  return logits.reshape({-1, steps, episodes});
}

}  // namespace berth
