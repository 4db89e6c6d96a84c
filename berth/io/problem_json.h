// berth's own problem file: versioned JSON, lossless.
//
//   {"berth_problem": 1, "name": "tiny",
//    "model": {"execution": "concurrent", "objective": "latency"},
//    "cluster": {"devices": [{"name": "cpu", "kind": "cpu"}, {"name": "gpu", "kind": "gpu"}]},
//    "nodes": [{"name": "a", "us": [9, 3]}, {"name": "b", "us": {"cpu": 4}}],
//    "tensors": [["a", ["b"], 4096]]}
//
// Times are microseconds, sizes bytes, null is "cannot run here". Nodes are objects whose fields
// are all optional; tensors are short lists [from, to, bytes] or objects when they carry more. A
// node is named by its name or by its position. docs/formats.md has every field, and
// docs/problem.schema.json the schema.
//
// Reading what was written gives an equal graph, cluster, costs, constraints and model.
#pragma once

#include "berth/io/read_problem.h"

namespace berth {

class JsonValue;

std::string write_problem(const Problem& problem);

// `name` is used when the file has none. A node without times gets a roofline estimate, which
// needs the speeds of all devices. With options.cluster: the same device names in the same order
// keep the times and take links and limits from there; other devices are estimated anew.
Problem berth_problem(const JsonValue& root, const std::string& name, const ReadOptions& options);

}  // namespace berth
