// expect: loupe::Trial: two error policies were given; a trial has one
#include "loupe/trial/trial.hpp"

#ifdef LOUPE_MUST_FAIL
using Type = loupe::Trial<loupe::Expect, loupe::compat::Smdebug, loupe::Throw>;
#else
using Type = loupe::Trial<loupe::Expect, loupe::compat::Smdebug>;
#endif

bool is_loaded(const Type& trial) { return trial.loaded_all_steps(); }
