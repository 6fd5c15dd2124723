// Exit status 0 when every unit behaves, and no two have a symbol in common.
#include <cstdio>
#include <cstring>

#include "abi/unit.hpp"

int main() {
  const abi::Report reports[] = {abi::cpp20(), abi::cpp23(), abi::no_exceptions(), abi::no_intrinsics(),
                                 abi::next_version()};
  int failures = 0;
  for (const auto& report : reports) {
    std::printf("%-14s %s\n", report.unit, report.result_type);
    if (!report.copies || !report.refuses) {
      std::printf("%s: a result came back wrong\n", report.unit);
      ++failures;
    }
    for (const auto& other : reports) {
      if (&other < &report && std::strcmp(other.result_type, report.result_type) == 0) {
        std::printf("%s and %s share symbols\n", other.unit, report.unit);
        ++failures;
      }
    }
  }
  return failures == 0 ? 0 : 1;
}
