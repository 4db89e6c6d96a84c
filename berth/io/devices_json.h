// A cluster from a file: devices, links between them, and what the links share.
//
//   {"devices": [{"name": "cpu", "kind": "cpu", "memory": 64000000000},
//                {"name": "gpu", "kind": "gpu", "count": 4, "memory": 16000000000}],
//    "default_link": {"startup_us": 10, "bytes_per_second": 12e9},
//    "links": [{"from": "gpu0", "to": "gpu1", "both_ways": true, "bytes_per_second": 25e9}],
//    "contention": "links" | "bus" | "none"}
//
// By default every directed link is a channel of its own ("links"); "bus" makes all links share
// one, "none" lets all transfers pass at once, and "channels" on a link names what it holds.
// docs/formats.md has every field.
#pragma once

#include <filesystem>

#include "berth/cost/devices.h"

namespace berth {

class JsonValue;
class JsonWriter;

// A built-in cluster (cost/clusters.h), or one from a file. Throws Error that lists the former.
Cluster find_cluster(const std::string& name_or_file);
Cluster read_devices(const std::filesystem::path& path);
Cluster parse_devices(std::string_view text, const std::string& file);

std::string write_devices(const Cluster& cluster);

// The same inside a problem file, and a device of the cluster by its name.
Cluster cluster_from(const JsonValue& value);
void write_cluster(JsonWriter& json, const Cluster& cluster, std::size_t indent);
DeviceId device_at(const JsonValue& name, const Cluster& cluster);

}  // namespace berth
