#pragma once
/// @file
/// What model code includes: `loupe::HookRef`, the cheapest header of loupe.

#include "loupe/capture/hook_ref.hpp"
