#pragma once
/// @file
/// Catch2, version 2 (Debian 12) or 3: tests include this file and nothing else of Catch2.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
