#pragma once
/// @file
/// The part of a program whose instructions are counted.

/// Operations that each program counts.
inline constexpr int operations = 200;

/// Runs `body`; the instructions of this thread meanwhile are counted, with all that it calls.
template <class Body>
[[gnu::noinline]] void counted(const Body& body) {
  body();
}
