#include "berth/modules/build_config.h"

#if BERTH_HAS_TORCH

#include <cmath>
#include <string>
#include <vector>

#include "berth/learn/torch/recurrent_placer.h"
#include "berth/learn/torch/tensors.h"
#include "tests/learn/torch/check_gradients.h"

namespace berth {
namespace {

using Row = std::vector<double>;
using Matrix = std::vector<Row>;

RecurrentOptions tiny() {
  RecurrentOptions options;
  options.hidden = 3;
  options.attention = 2;
  options.tanh = 5;
  options.temperature = 2;
  return options;
}

// The whole network once more, for one placement, number by number.
class Naive {
 public:
  Naive(const RecurrentOptions& options, RecurrentPlacerImpl& placer)
      : options_(options), parameters_(placer.named_parameters()) {}

  // log p of the devices for groups x; forbidden ones are left out of the sums.
  double log_probability(const Matrix& x, const std::vector<std::size_t>& devices,
                         const std::vector<std::vector<bool>>& forbidden) {
    const bool both = parameters_.contains("first_hidden.weight");
    Row last_h, last_c;
    Matrix h = read(x, "", false, last_h, last_c);
    if (both) {
      Row h_back, c_back;
      const Matrix back = read(x, "_reverse", true, h_back, c_back);
      for (std::size_t t = 0; t < h.size(); ++t) append(h[t], back[t]);
      append(last_h, h_back);
      append(last_c, c_back);
      last_h = dense("first_hidden", last_h);
      for (double& value : last_h) value = std::tanh(value);
      last_c = dense("first_memo", last_c);
    }
    const Matrix embedding = matrix("embedding.weight");
    Row s = last_h, c = last_c, before = embedding.back();
    double sum = 0;
    for (std::size_t t = 0; t < x.size(); ++t) {
      Row gates = dense("from_device", before);
      add(gates, dense("from_state", s));
      if (options_.aligned) add(gates, dense("from_group", h[t]));
      step(gates, s, c);
      Row joined = s;
      append(joined, seen(h, s));
      sum += log_of(dense("out", joined), devices[t], forbidden[t]);
      before = embedding[devices[t]];
    }
    return sum;
  }

 private:
  Matrix read(const Matrix& x, const std::string& way, bool backwards, Row& s, Row& c) {
    const std::size_t width = static_cast<std::size_t>(options_.hidden);
    s.assign(width, 0);
    c.assign(width, 0);
    Matrix result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t t = backwards ? x.size() - 1 - i : i;
      Row gates = product(matrix("encoder.weight_ih_l0" + way), x[t]);
      add(gates, product(matrix("encoder.weight_hh_l0" + way), s));
      add(gates, vector("encoder.bias_ih_l0" + way));
      add(gates, vector("encoder.bias_hh_l0" + way));
      step(gates, s, c);
      result[t] = s;
    }
    return result;
  }
  static void step(const Row& gates, Row& s, Row& c) {
    const auto squashed = [](double value) { return 1 / (1 + std::exp(-value)); };
    const std::size_t n = s.size();
    for (std::size_t i = 0; i < n; ++i) {
      c[i] = squashed(gates[n + i]) * c[i] + squashed(gates[i]) * std::tanh(gates[2 * n + i]);
      s[i] = squashed(gates[3 * n + i]) * std::tanh(c[i]);
    }
  }
  Row seen(const Matrix& h, const Row& s) {
    Row weights;
    double sum = 0;
    for (const Row& group : h) {
      Row key = dense("key", group);
      add(key, dense("query", s));
      for (double& value : key) value = std::tanh(value);
      weights.push_back(std::exp(dense("compare", key).front()));
      sum += weights.back();
    }
    Row result(h.front().size(), 0.0);
    for (std::size_t j = 0; j < h.size(); ++j)
      for (std::size_t i = 0; i < result.size(); ++i) result[i] += weights[j] / sum * h[j][i];
    return result;
  }
  double log_of(const Row& out, std::size_t device, const std::vector<bool>& forbidden) const {
    const auto logit = [&](std::size_t d) {
      const double scaled = out[d] / options_.temperature;
      return options_.tanh > 0 ? options_.tanh * std::tanh(scaled) : scaled;
    };
    double sum = 0;
    for (std::size_t d = 0; d < out.size(); ++d)
      if (!forbidden[d]) sum += std::exp(logit(d));
    return logit(device) - std::log(sum);
  }
  Row dense(const std::string& name, const Row& x) {
    Row result = product(matrix(name + ".weight"), x);
    if (parameters_.contains(name + ".bias")) add(result, vector(name + ".bias"));
    return result;
  }
  static Row product(const Matrix& weights, const Row& x) {
    Row result;
    for (const Row& row : weights) {
      REQUIRE(row.size() == x.size());
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += row[i] * x[i];
      result.push_back(sum);
    }
    return result;
  }
  static void add(Row& to, const Row& what) {
    REQUIRE(to.size() == what.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
  }
  static void append(Row& to, const Row& what) { to.insert(to.end(), what.begin(), what.end()); }
  Matrix matrix(const std::string& name) {
    Matrix result;
    const torch::Tensor values = parameters_[name].detach();
    for (std::int64_t row = 0; row < values.size(0); ++row) {
      Row& numbers = result.emplace_back();
      for (std::int64_t i = 0; i < values.size(1); ++i)
        numbers.push_back(values[row][i].item<double>());
    }
    return result;
  }
  Row vector(const std::string& name) {
    Row result;
    const torch::Tensor values = parameters_[name].detach();
    for (std::int64_t i = 0; i < values.size(0); ++i) result.push_back(values[i].item<double>());
    return result;
  }

  RecurrentOptions options_;
  torch::OrderedDict<std::string, torch::Tensor> parameters_;
};

// Two sequences of four groups, three devices; the second group of the first sequence may use only
// the last device, and the last group of the second sequence not the first.
struct Case {
  torch::Tensor groups = torch::randn({2, 4, 5}, torch::kDouble);
  torch::Tensor forbidden = torch::zeros({2, 4, 3}, torch::kBool);
  // Three rows of each sequence.
  std::vector<std::vector<std::size_t>> devices{{0, 2, 1, 0}, {1, 2, 1, 1}, {2, 2, 0, 2},
                                                {2, 1, 0, 1}, {0, 0, 0, 2}, {1, 2, 1, 1}};
  Case() {
    forbidden[0][1][0] = forbidden[0][1][1] = true;
    forbidden[1][3][0] = true;
  }
  RecurrentPlacerImpl::Decoded follow(RecurrentPlacer& placer) const {
    return placer->decode(placer->encode(groups), forbidden, 3,
                          [&](std::size_t row, std::size_t step, std::span<const float>) {
                            return devices[row][step];
                          });
  }
};

TEST_CASE("a batch gives each placement the probability that it has alone, number by number") {
  for (const bool both_ways : {false, true})
    for (const bool aligned : {false, true}) {
      CAPTURE(both_ways);
      CAPTURE(aligned);
      torch::manual_seed(3);
      RecurrentOptions options = tiny();
      options.aligned = aligned;
      if (aligned) options.tanh = 0;
      RecurrentPlacer placer(options, 5, 3, both_ways);
      placer->to(torch::kDouble);
      const Case given;
      const torch::Tensor log = given.follow(placer).log;
      REQUIRE(log.sizes() == torch::IntArrayRef({6}));
      Naive naive(options, *placer);
      for (std::int64_t row = 0; row < 6; ++row) {
        Matrix x;
        std::vector<std::vector<bool>> forbidden;
        for (std::int64_t t = 0; t < 4; ++t) {
          x.emplace_back();
          forbidden.emplace_back();
          for (std::int64_t i = 0; i < 5; ++i)
            x.back().push_back(given.groups[row / 3][t][i].item<double>());
          for (std::int64_t d = 0; d < 3; ++d)
            forbidden.back().push_back(given.forbidden[row / 3][t][d].item<bool>());
        }
        CHECK(log[row].item<double>() ==
              doctest::Approx(
                  naive.log_probability(x, given.devices[static_cast<std::size_t>(row)], forbidden))
                  .epsilon(1e-9));
      }
    }
}

TEST_CASE("gradients of log p are right, for every parameter") {
  torch::set_num_threads(1);
  torch::manual_seed(4);
  RecurrentPlacer placer(tiny(), 5, 3, true);
  const Case given;
  const torch::Tensor mix = torch::randn({6}, torch::kDouble);
  check_gradients(*placer, [&] { return (given.follow(placer).log * mix).sum(); });
  for (const auto& item : placer->named_parameters()) {
    CAPTURE(item.key());
    CHECK(item.value().grad().defined());
  }
}

TEST_CASE("the probabilities of all placements sum to one, and the mean entropy is theirs") {
  torch::manual_seed(5);
  RecurrentPlacer placer(tiny(), 2, 2, false);
  placer->to(torch::kDouble);
  const torch::Tensor groups = torch::randn({1, 3, 2}, torch::kDouble);
  const auto decoded = placer->decode(
      placer->encode(groups), {}, 8,
      [](std::size_t row, std::size_t step, std::span<const float>) { return row >> step & 1; });
  const torch::Tensor p = decoded.log.exp();
  CHECK(p.sum().item<double>() == doctest::Approx(1));
  CHECK(decoded.entropy > 0);
  CHECK(decoded.entropy <= std::log(2) + 1e-6);
}

TEST_CASE("forbidden devices are never drawn, others are drawn as often as their probability") {
  torch::manual_seed(6);
  RecurrentPlacer placer(tiny(), 2, 3, false);
  torch::Tensor forbidden = torch::zeros({1, 2, 3}, torch::kBool);
  forbidden[0][0][1] = true;
  forbidden[0][1][0] = forbidden[0][1][2] = true;
  Rng rng(1);
  std::vector<float> first;
  std::vector<double> count(3, 0.0);
  const ChooseDevice drawn = drawn_with(rng);
  const auto decoded =
      placer->decode(placer->encode(torch::randn({1, 2, 2})), forbidden, 4000,
                     [&](std::size_t row, std::size_t step, std::span<const float> logs) {
                       if (first.empty()) first.assign(logs.begin(), logs.end());
                       return drawn(row, step, logs);
                     });
  for (const std::vector<std::uint32_t>& devices : decoded.devices) {
    CHECK(devices[0] != 1);
    CHECK(devices[1] == 1);
    count[devices[0]] += 1.0 / 4000;
  }
  for (std::size_t d = 0; d < 3; ++d)
    CHECK(count[d] == doctest::Approx(std::exp(first[d])).epsilon(0.05).scale(1));
}

}  // namespace
}  // namespace berth

#endif
