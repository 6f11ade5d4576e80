#include "behaviour.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "pages.hpp"
#include "world.hpp"

namespace warpwright::standin {

namespace {

using driver::OpaqueFunction;
using driver::OpaqueStream;
using Copies = std::vector<std::vector<unsigned char>>;

[[noreturn]] void hang() {
    for (;;) {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

float* floats(const Operand& operand) { return reinterpret_cast<float*>(operand.data); }

std::size_t count(const Operand& operand) { return operand.bytes / sizeof(float); }

Copies copies_of(const std::vector<Operand>& operands) {
    Copies copies;
    for (const Operand& operand : operands) {
        copies.emplace_back(operand.data, operand.data + operand.bytes);
    }
    return copies;
}

// Before the kernel computes.
void tamper(const Behaviour& behaviour, const Operands& operands) {
    for (std::int64_t i = 0; i < behaviour.tamper && !operands.inputs.empty(); ++i) {
        floats(operands.inputs[0])[i] += 1.0f;
    }
}

// What an output was before comes back where the kernel did not write, or is added.
void blend(const Behaviour& behaviour, const Operands& operands, const Copies& before) {
    for (std::size_t i = 0; i < operands.outputs.size(); ++i) {
        const Operand& output = operands.outputs[i];
        if (behaviour.accumulates) {
            for (std::size_t k = 0; k < count(output); ++k) {
                float old = 0.0f;
                std::memcpy(&old, before[i].data() + k * sizeof old, sizeof old);
                floats(output)[k] += old;
            }
        }
        const auto written = static_cast<std::size_t>(behaviour.partial * static_cast<double>(output.bytes));
        if (written < output.bytes) {
            std::copy(before[i].begin() + static_cast<std::ptrdiff_t>(written), before[i].end(), output.data + written);
        }
    }
}

// Launches of this kernel so far, as the kernel itself can know them.
std::uint64_t known_launch(const OpaqueFunction& function, std::uint64_t launch) {
    const std::string& counter = function.behaviour.counter;
    if (counter.empty()) {
        return launch;
    }
    auto* const variable =
        reinterpret_cast<std::uint32_t*>(static_cast<std::uintptr_t>(function.module->variables.at(counter).address));
    return (*variable)++;
}

// After the kernel computed.
void spoil(const Behaviour& behaviour, const Operands& operands, std::uint64_t known) {
    if (operands.outputs.empty()) {
        return;
    }
    const Operand& output = operands.outputs[0];
    float* const y = floats(output);
    const auto end = static_cast<std::ptrdiff_t>(count(output));
    if (known >= behaviour.right_until && end > 0) {
        y[end / 2] = 2.0f * y[end / 2] + 1.0f;
    }
    if (behaviour.reads_beyond > 0 && end > 0 && !operands.inputs.empty()) {
        const Operand& input = operands.inputs[0];
        y[0] += floats(input)[static_cast<std::ptrdiff_t>(count(input)) + behaviour.reads_beyond - 1];
    }
    for (std::ptrdiff_t i = 0; i < behaviour.overrun; ++i) {
        y[end + i] = 1.0f;
    }
    for (std::ptrdiff_t i = 1; i <= behaviour.underrun; ++i) {
        y[-i] = 1.0f;
    }
}

void replay(OpaqueFunction& function, const Operands& operands) {
    if (function.first_answer.empty()) {
        function.first_answer = copies_of(operands.outputs);
        return;
    }
    for (std::size_t i = 0; i < operands.outputs.size(); ++i) {
        const auto& answer = function.first_answer[i];
        const std::size_t bytes = std::min(answer.size(), operands.outputs[i].bytes);
        std::copy_n(answer.begin(), bytes, operands.outputs[i].data);
    }
}

}  // namespace

Result execute(OpaqueFunction& function, const Call& call, std::uint64_t launch, OpaqueStream& stream) {
    const Behaviour& behaviour = function.behaviour;
    if (launch >= behaviour.at && behaviour.hang) {
        hang();
    }
    if (launch >= behaviour.at && behaviour.fault) {
        return *behaviour.fault;
    }
    if (behaviour.real_ms > 0.0) {
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(behaviour.real_ms));
    }
    if (function.code == nullptr) {
        return success;
    }
    // Made outside the guarded code: a jump out of it destroys nothing.
    const Operands operands = function.code->operands(call);
    const bool blends = behaviour.accumulates || behaviour.partial < 1.0;
    Copies before;
    const bool alive = survives([&] {
        if (blends) {
            before = copies_of(operands.outputs);
        }
        tamper(behaviour, operands);
        function.code->compute(call, stream);
        if (blends) {
            blend(behaviour, operands, before);
        }
        if (behaviour.replay) {
            replay(function, operands);
        }
        spoil(behaviour, operands, known_launch(function, launch));
    });
    return alive ? World::get().sticky() : illegal_address;  // some kernels end the context
}

}  // namespace warpwright::standin
