#pragma once
/// @file
/// `loupe::Trial` with all that is needed to open one from the local file system.

#include "loupe/storage/local.hpp"
#include "loupe/trial/trial.hpp"
