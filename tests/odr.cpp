// Linked into every test program beside its own units, which include the same headers.
#include "loupe/loupe.hpp"
