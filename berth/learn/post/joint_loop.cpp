#include "berth/learn/post/joint_loop.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace berth {
namespace {

constexpr double kBaselineDecay = 0.9;
constexpr double kSettledEntropy = 0.05;
constexpr int kMostIdleRefits = 5;
constexpr double kRestartShare = 0.5;  // of the uniform table

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(std::span<const double> values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

void save_samples(const std::vector<PostSample>& samples, Archive& archive) {
  for (const PostSample& sample : samples) {
    archive.numbers["values"].push_back(sample.value);
    archive.numbers["feasible"].push_back(sample.feasible ? 1 : 0);
    archive.numbers["deviations"].push_back(sample.deviation);
    std::vector<double>& devices = archive.numbers["devices"];
    devices.insert(devices.end(), sample.devices.begin(), sample.devices.end());
  }
}

std::vector<PostSample> load_samples(const Archive& archive, std::size_t groups) {
  std::vector<PostSample> samples;
  if (archive.numbers.empty()) return samples;
  const std::vector<double>& values = archive.numbers.at("values");
  const std::vector<double>& devices = archive.numbers.at("devices");
  for (std::size_t i = 0; i < values.size(); ++i) {
    PostSample& sample = samples.emplace_back();
    for (std::size_t m = 0; m < groups; ++m)
      sample.devices.push_back(static_cast<std::uint32_t>(devices.at(i * groups + m)));
    sample.value = values[i];
    sample.feasible = archive.numbers.at("feasible").at(i) != 0;
    sample.deviation = archive.numbers.at("deviations").at(i);
  }
  return samples;
}

std::vector<double> to_numbers(const std::optional<double>& value) {
  return value ? std::vector<double>{*value} : std::vector<double>{};
}
std::optional<double> to_optional(const std::vector<double>& numbers) {
  return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

}  // namespace

JointLoop::JointLoop(DeviceTable table, const JointLoopOptions& options)
    : options_(options), table_(std::move(table)) {}

void JointLoop::offer(const PostSample& sample) {
  if (!sample.feasible) return;
  // A measured time changes as more runs come in: the last word counts.
  std::erase_if(best_, [&](const PostSample& known) { return known.devices == sample.devices; });
  const auto place =
      std::upper_bound(best_.begin(), best_.end(), sample,
                       [](const PostSample& a, const PostSample& b) { return a.value < b.value; });
  best_.insert(place, sample);
  if (best_.size() > std::max<std::size_t>(options_.best, 1)) best_.pop_back();
}

std::vector<double> JointLoop::advantages(std::span<const PostSample> batch) {
  std::vector<double> values;
  for (const PostSample& sample : batch)
    values.push_back(options_.scaled_advantages ? std::log(sample.value) : sample.value);
  const double centre = mean(values);
  if (!unit_) unit_ = options_.scaled_advantages ? 1 : centre;
  const double scale = options_.scaled_advantages ? deviation(values) : *unit_;
  const double b = baseline_.value_or(centre);
  baseline_ = kBaselineDecay * b + (1 - kBaselineDecay) * centre;
  for (double& value : values) value = scale > 0 ? (b - value) / scale : 0;
  return values;
}

void JointLoop::refit_to_pool() {
  std::vector<PostSample> pool = std::move(recent_);
  recent_.clear();
  if (options_.best > 0) pool.insert(pool.end(), best_.begin(), best_.end());
  if (!refit(table_, pool, options_.refit)) return;
  if (options_.scaled_advantages) baseline_.reset();
  const double best = best_.front().value;
  idle_refits_ = best_at_refit_ && best >= *best_at_refit_ ? idle_refits_ + 1 : 0;
  best_at_refit_ = best;
}

JointLoop::Update JointLoop::learn(std::span<const PostSample> batch) {
  if (batch.empty()) return {};
  for (const PostSample& sample : batch) offer(sample);
  recent_.insert(recent_.end(), batch.begin(), batch.end());
  if (options_.refit_after && recent_.size() >= *options_.refit_after) {
    refit_to_pool();
    return {.refitted = true};
  }
  if (!options_.refit_after) recent_.clear();
  if (options_.proximal.steps <= 0) return {};
  ProximalResult result =
      proximal_ascent(table_, {batch, advantages(batch)}, beta_, options_.proximal);
  table_ = std::move(result.table);
  beta_ = result.beta;
  return {.divergence = result.divergence};
}

bool JointLoop::is_settled() const {
  return idle_refits_ >= kMostIdleRefits || table_.entropy_share() < kSettledEntropy;
}

void JointLoop::restart() {
  table_.mix_with_uniform(kRestartShare);
  recent_.clear();
  baseline_.reset();
  beta_ = 1;
  idle_refits_ = 0;
}

void JointLoop::save(Archive& archive) const {
  archive.numbers["table"] = table_.logits();
  archive.numbers["beta"] = {beta_};
  archive.numbers["baseline"] = to_numbers(baseline_);
  archive.numbers["unit"] = to_numbers(unit_);
  archive.numbers["idle refits"] = {static_cast<double>(idle_refits_)};
  archive.numbers["best at refit"] = to_numbers(best_at_refit_);
  save_samples(recent_, archive.parts["recent"]);
  save_samples(best_, archive.parts["best"]);
}

void JointLoop::load(const Archive& archive) {
  const std::vector<double>& logits = archive.numbers.at("table");
  if (logits.size() != table_.logits().size()) throw std::out_of_range("a table of other groups");
  table_.set_logits(logits);
  beta_ = archive.numbers.at("beta").at(0);
  baseline_ = to_optional(archive.numbers.at("baseline"));
  unit_ = to_optional(archive.numbers.at("unit"));
  idle_refits_ = static_cast<int>(archive.numbers.at("idle refits").at(0));
  best_at_refit_ = to_optional(archive.numbers.at("best at refit"));
  recent_ = load_samples(archive.parts.at("recent"), table_.groups());
  best_ = load_samples(archive.parts.at("best"), table_.groups());
}

}  // namespace berth
