#include "berth/io/problem_options.h"

#include <fmt/format.h>

#include "berth/cost/change_cluster.h"
#include "berth/io/constraints_json.h"

namespace berth {
namespace {

Constraints merged(Constraints first, const Constraints& second) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(first.pin, second.pin);
  append(first.forbid, second.forbid);
  append(first.together, second.together);
  append(first.apart, second.apart);
  return first;
}

}  // namespace

LoadedProblem with_options(LoadedProblem loaded, const ProblemOptions& options) {
  Problem& problem = loaded.problem;
  ReservedCluster reserved = reserve_memory(problem.cluster(), options.reserve);
  Cluster& cluster = reserved.cluster;
  if (options.servers) cluster = in_servers(std::move(cluster), *options.servers);
  if (options.network) cluster.set_network(cluster.network().startup, *options.network * 1e9);
  if (cluster != problem.cluster()) problem = problem.with_cluster(std::move(cluster));
  if (!options.constraints.empty())
    problem = problem.with_constraints(
        merged(problem.constraints(),
               read_constraints(options.constraints, problem.graph(), problem.cluster())));
  loaded.warnings.insert(loaded.warnings.end(), reserved.warnings.begin(), reserved.warnings.end());
  return loaded;
}

std::vector<std::string> unused_options(const Problem& problem, const ProblemOptions& options) {
  const bool asked = options.servers.value_or(1) > 1 || options.network;
  if (!asked || problem.counts_network()) return {};
  return {fmt::format(
      "{} is not used: it means nothing for {}", options.network ? "--network" : "--servers",
      problem.cluster().servers().count() > 1 ? described(problem.model()) : "a single server")};
}

}  // namespace berth
