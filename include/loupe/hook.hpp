#pragma once
/// @file
/// `loupe::Hook` with all that is needed to construct one that writes to the local file system.

#include "loupe/base/clock.hpp"
#include "loupe/base/thread_executor.hpp"
#include "loupe/capture/configuration.hpp"
#include "loupe/capture/hook.hpp"
#include "loupe/capture/null_hook.hpp"
#include "loupe/capture/recorder_factory.hpp"
#include "loupe/ranks/explicit_rank.hpp"
#include "loupe/ranks/single.hpp"
#include "loupe/reduce/fused.hpp"
#include "loupe/storage/local.hpp"
