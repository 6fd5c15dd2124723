// expect: loupe::Trial: its error policy must be Throw or Expect
#include "loupe/trial/trial.hpp"

#ifdef LOUPE_MUST_FAIL
using Type = loupe::Trial<loupe::Count>;
#else
using Type = loupe::Trial<loupe::Expect>;
#endif

bool is_loaded(const Type& trial) { return trial.loaded_all_steps(); }
