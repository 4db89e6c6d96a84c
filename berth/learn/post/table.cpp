#include "berth/learn/post/table.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace berth {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double row_sum(std::span<const double> row) {
  double sum = 0;
  for (const double value : row) sum += value;
  return sum;
}

}  // namespace

DeviceTable::DeviceTable(std::size_t devices, std::vector<std::uint8_t> allowed)
    : devices_(devices), allowed_(std::move(allowed)) {
  assert(devices_ > 0 && allowed_.size() % devices_ == 0);
  w_.assign(allowed_.size(), 0.0);
  follow_logits();
}

void DeviceTable::follow_logits() {
  u_.resize(w_.size());
  log_u_.resize(w_.size());
  for (std::size_t i = 0; i < w_.size(); ++i)
    if (allowed_[i] == 0) w_[i] = kImpossible;
  for (std::size_t begin = 0; begin < w_.size(); begin += devices_) {
    double largest = kImpossible, sum = 0;
    for (std::size_t i = begin; i < begin + devices_; ++i) largest = std::max(largest, w_[i]);
    assert(largest != kImpossible);  // every group may use some device
    for (std::size_t i = begin; i < begin + devices_; ++i) sum += std::exp(w_[i] - largest);
    const double log_sum = largest + std::log(sum);
    for (std::size_t i = begin; i < begin + devices_; ++i) {
      log_u_[i] = w_[i] - log_sum;
      u_[i] = std::exp(log_u_[i]);
    }
  }
}

void DeviceTable::set_logits(std::vector<double> logits) {
  assert(logits.size() == w_.size());
  w_ = std::move(logits);
  follow_logits();
}

void DeviceTable::set_weights(std::span<const double> weights) {
  assert(weights.size() == w_.size());
  for (std::size_t i = 0; i < w_.size(); ++i)
    w_[i] = allowed_[i] != 0 ? std::log(weights[i]) : kImpossible;
  for (std::size_t begin = 0; begin < w_.size(); begin += devices_) {
    const auto row = w_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = row + static_cast<std::ptrdiff_t>(devices_);
    if (*std::max_element(row, end) == kImpossible) std::fill(row, end, 0.0);
  }
  follow_logits();
}

void DeviceTable::add_to_logits(std::span<const double> gradient, double rate) {
  assert(gradient.size() == w_.size());
  for (std::size_t i = 0; i < w_.size(); ++i) w_[i] += rate * gradient[i];
  follow_logits();
}

void DeviceTable::mix_with_uniform(double share) {
  std::vector<double> weights(u_.size());
  for (std::size_t begin = 0; begin < u_.size(); begin += devices_) {
    double allowed = 0;
    for (std::size_t i = begin; i < begin + devices_; ++i) allowed += allowed_[i];
    for (std::size_t i = begin; i < begin + devices_; ++i)
      weights[i] = (1 - share) * u_[i] + share / allowed;
  }
  set_weights(weights);
}

std::vector<std::uint32_t> DeviceTable::draw(Rng& rng) const {
  std::vector<std::uint32_t> drawn;
  drawn.reserve(groups());
  for (std::size_t begin = 0; begin < u_.size(); begin += devices_) {
    double left = rng.uniform() * row_sum({u_.data() + begin, devices_});
    std::uint32_t taken = 0;
    for (std::uint32_t j = 0; j < devices_; ++j) {
      if (u_[begin + j] == 0) continue;
      taken = j;  // the last possible one, should rounding leave a rest
      if ((left -= u_[begin + j]) < 0) break;
    }
    drawn.push_back(taken);
  }
  return drawn;
}

std::vector<std::uint32_t> DeviceTable::most_likely() const {
  std::vector<std::uint32_t> best;
  for (std::size_t begin = 0; begin < u_.size(); begin += devices_) {
    const auto row = u_.begin() + static_cast<std::ptrdiff_t>(begin);
    best.push_back(static_cast<std::uint32_t>(
        std::max_element(row, row + static_cast<std::ptrdiff_t>(devices_)) - row));
  }
  return best;
}

double DeviceTable::log_probability(std::span<const std::uint32_t> device_of_group) const {
  assert(device_of_group.size() == groups());
  double sum = 0;
  for (std::size_t m = 0; m < device_of_group.size(); ++m)
    sum += log_u_[m * devices_ + device_of_group[m]];
  return sum;
}

double DeviceTable::entropy_share() const {
  double entropy = 0, most = 0;
  for (std::size_t begin = 0; begin < u_.size(); begin += devices_) {
    double allowed = 0;
    for (std::size_t i = begin; i < begin + devices_; ++i) {
      allowed += allowed_[i];
      if (u_[i] > 0) entropy -= u_[i] * log_u_[i];
    }
    most += std::log(allowed);
  }
  return most > 0 ? entropy / most : 0;
}

double divergence(const DeviceTable& from, const DeviceTable& to) {
  assert(from.u_.size() == to.u_.size());
  double sum = 0;
  for (std::size_t i = 0; i < from.u_.size(); ++i)
    if (from.u_[i] > 0) sum += from.u_[i] * (from.log_u_[i] - to.log_u_[i]);
  return sum;
}

}  // namespace berth
