// Code that is given a hook.
#include "loupe/capture/hook.hpp"

template <class Hook>
void save_loss(Hook& hook, const float& loss) {
  hook.save("loss", loss);
}
