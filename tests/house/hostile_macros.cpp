// Macros that users, system headers and other libraries really define must not reach into loupe's headers. The standard
// headers come first: they are not what is tested.
#include <bits/stdc++.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// clang-format off
#define A 1
#define B 1
#define C 1
#define D 1
#define E 1
#define F 1
#define G 1
#define H 1
#define I 1
#define J 1
#define K 1
#define L 1
#define M 1
#define N 1
#define O 1
#define P 1
#define Q 1
#define R 1
#define S 1
#define T 1
#define U 1
#define V 1
#define W 1
#define X 1
#define Y 1
#define Z 1
// Windows.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define small char
#define interface struct
#define ERROR 0
#define DELETE 0
#define IN
#define OUT
#define CONST const
#define OPTIONAL
#define STRICT 1
#define GetObject GetObjectA
// X11.
#define Bool int
#define Status int
#define True 1
#define False 0
#define Always 2
#define Success 0
// Logging and test libraries.
#define check(condition) ((void)(condition))
#define CHECK(condition) ((void)(condition))
#define REQUIRE(condition) ((void)(condition))
#define SECTION(name) if (true)
#define LOG(level) level
#define INFO 1
#define WARN 2
#define FAIL 3
#define DEBUG 1
#define TRACE 1
#define VERIFY(condition) ((void)(condition))
// C headers.
#define major(device) (device)
#define minor(device) (device)
#define unix 1
#define linux 1
#define EMPTY 0
#define TRUE 1
#define FALSE 0
#define EVER ;;
// clang-format on

#include "loupe/loupe.hpp"
