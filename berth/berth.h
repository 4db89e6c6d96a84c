// The whole public face of the library.
#pragma once

#include "berth/base/error.h"
#include "berth/base/ids.h"
#include "berth/base/random.h"
#include "berth/base/units.h"
#include "berth/cost/costs.h"
#include "berth/cost/devices.h"
#include "berth/graph/graph.h"
#include "berth/place/context.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "berth/placement.h"
#include "berth/problem.h"
#include "berth/runtime/session.h"
#include "berth/search/budget.h"
#include "berth/sim/evaluate.h"
