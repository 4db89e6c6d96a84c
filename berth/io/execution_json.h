// An execution model in a problem file: its two words and those of its fields that differ from the
// defaults. A field that the model does not have is an error that lists those it has.
#pragma once

#include "berth/execution_model.h"
#include "berth/io/json_value.h"
#include "berth/io/json_writer.h"

namespace berth {

ExecutionModel execution_from(const JsonValue& value);
void write_execution(JsonWriter& json, const ExecutionModel& model);

}  // namespace berth
