// Parts that stand alone in a file of their own and inside a problem file alike.
#pragma once

#include <cstddef>

#include "berth/cost/devices.h"
#include "berth/graph/graph.h"
#include "berth/io/json_value.h"
#include "berth/io/json_writer.h"
#include "berth/problem.h"

namespace berth {

Cluster cluster_from(const JsonValue& value);
void write_cluster(JsonWriter& json, const Cluster& cluster, std::size_t indent);

DeviceId device_at(const JsonValue& name, const Cluster& cluster);

Constraints constraints_from(const JsonValue& value, const Graph& graph, const Cluster& cluster);
void write_constraints(JsonWriter& json, const Constraints& constraints, const Cluster& cluster);

}  // namespace berth
