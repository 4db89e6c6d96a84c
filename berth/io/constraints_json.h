// Constraints from a file: what the user insists on, the rest is left to the placer.
//
//   {"pin":      [{"nodes": "layer1/.*", "device": "gpu0"}],   must run on the device
//    "forbid":   [{"nodes": ["a", "b"], "device": "cpu"}],     must not
//    "together": ["block3/.*", ["embed", "head"]],             share one device, per entry
//    "apart":    [["a", "b"]]}                                 no two of an entry share one
//
// Nodes are a pattern, which must match the whole name (name_pattern.h), or a list of exact names.
// A pattern that matches nothing, an unknown name or an unknown device is an Error. Constraints
// that contradict each other are found by Problem.
#pragma once

#include <filesystem>

#include "berth/problem.h"

namespace berth {

class JsonValue;
class JsonWriter;

Constraints read_constraints(const std::filesystem::path& path, const Graph& graph,
                             const Cluster& cluster);
Constraints parse_constraints(std::string_view text, const std::string& file, const Graph& graph,
                              const Cluster& cluster);

// The same inside a problem file.
Constraints constraints_from(const JsonValue& value, const Graph& graph, const Cluster& cluster);
void write_constraints(JsonWriter& json, const Constraints& constraints, const Cluster& cluster);

}  // namespace berth
