#include "loupe/capture/resume_policy.hpp"

#include "loupe/capture/trial_folder.hpp"
#include "support/catch.hpp"

TEST_CASE("by default nothing finished is touched, dead claims don't count, and the last worker ends the trial") {
  const loupe::TrialFolderOptions options;
  CHECK(options.resume == loupe::ResumePolicy::refuse);
  CHECK(options.claim == loupe::ClaimPolicy::take_over_stale);
  CHECK(options.end_marker == loupe::EndMarkerPolicy::last_worker);
}
