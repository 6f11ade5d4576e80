// Outputs of the launches that are to be verified.
#pragma once

#include <cstddef>
#include <vector>

#include "protocol/replies.hpp"
#include "service/machine.hpp"
#include "time/sets.hpp"

namespace warpwright::timing {

class KeptOutputs {
public:
    // machine, request, sets must outlive this.
    KeptOutputs(const Machine& machine, const TimeRequest& request, const ArraySets& sets);

    // Copies the outputs of one launch from its set to the host. Waits for the stream. Nothing may have been queued
    // behind that launch: a later one could mend what it left undone. Throws DriverError, std::system_error.
    void read(std::size_t block, std::size_t launch, std::vector<KeptOutput>& into) const;

private:
    const Machine& machine_;
    const TimeRequest& request_;
    const ArraySets& sets_;
};

}  // namespace warpwright::timing
