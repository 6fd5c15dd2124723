#pragma once
/// @file
/// What each unit of the program tells about the loupe that it was compiled with.

namespace abi {

struct Report {
  const char* unit = "";
  const char* result_type = "";  ///< mangled name of a function that gives a `result`
  bool copies = false;           ///< a result with a value, through a function with one definition a unit
  bool refuses = false;          ///< a result with an error
};

Report cpp20();
Report cpp23();
Report no_exceptions();
Report no_intrinsics();
Report next_version();

}  // namespace abi
