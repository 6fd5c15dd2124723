#pragma once
/// @file
/// Every function body, for programs built with `LOUPE_SEPARATE_COMPILATION`: one unit includes this file.
/// Written by tests/house/check.py --write.

#ifndef LOUPE_SEPARATE_COMPILATION
#error "loupe/src.hpp is for programs built with LOUPE_SEPARATE_COMPILATION; otherwise the headers suffice"
#endif

#include "loupe/base/error.ipp"
#include "loupe/base/exceptions.ipp"
