// Source: ELF-64 object file format; the NVIDIA sections as `readelf` and `cuobjdump` show them in cubins of CUDA 12
// and 13 (ABI versions 7 and 8).
#include <cstdint>
#include <cstring>

#include "image.hpp"

namespace warpwright::standin {

namespace {

struct Header {
    unsigned char magic[16];
    std::uint16_t type, machine;
    std::uint32_t version;
    std::uint64_t entry, programs, sections;
    std::uint32_t flags;
    std::uint16_t header_bytes, program_bytes, program_count, section_bytes, section_count, names;
};

struct Section {
    std::uint32_t name, type;
    std::uint64_t flags, address, offset, bytes;
    std::uint32_t link, info;
    std::uint64_t alignment, entry_bytes;
};

struct Symbol {
    std::uint32_t name;
    unsigned char info, other;
    std::uint16_t section;
    std::uint64_t value, bytes;
};

constexpr std::uint16_t machine_cuda = 190;
constexpr std::uint32_t section_nobits = 8;
constexpr unsigned char symbol_object = 1;
constexpr unsigned reserved_shared_bytes = 1024;  // of the system, in every block since compute capability 8.0

// Attributes of .nv.info.
constexpr unsigned attribute_max_threads = 0x05;
constexpr unsigned attribute_frame_bytes = 0x11;
constexpr unsigned attribute_parameter = 0x17;
constexpr unsigned attribute_registers = 0x2f;
constexpr unsigned format_sized = 4;

std::uint32_t word_at(const unsigned char* bytes) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

class Cubin {
public:
    explicit Cubin(const unsigned char* image) : image_(image) {
        std::memcpy(&header_, image, sizeof header_);
        if (header_.machine != machine_cuda || header_.section_bytes != sizeof(Section)) {
            throw ImageError("an ELF file, but no cubin");
        }
        for (std::size_t i = 0; i < header_.section_count; ++i) {
            Section section;
            std::memcpy(&section, image + header_.sections + i * sizeof section, sizeof section);
            sections_.push_back(section);
        }
        read_symbols();
    }

    ModuleImage read() {
        ModuleImage result;
        result.sm = static_cast<int>((header_.magic[8] >= 8 ? header_.flags >> 8 : header_.flags) & 0xFF);
        for (const Section& section : sections_) {
            if (const std::string name = name_of(section); name.rfind(".text.", 0) == 0) {
                result.kernels[name.substr(6)] = ImageKernel{};
            }
        }
        for (const Section& section : sections_) {
            read_section(section, result);
        }
        for (const Symbol& symbol : symbols_) {
            read_variable(symbol, result);
        }
        return result;
    }

private:
    std::string name_of(const Section& section) const {
        return reinterpret_cast<const char*>(image_ + sections_[header_.names].offset + section.name);
    }

    std::string name_of(const Symbol& symbol) const {
        return reinterpret_cast<const char*>(image_ + names_of_symbols_ + symbol.name);
    }

    void read_symbols() {
        for (const Section& section : sections_) {
            if (name_of(section) != ".symtab") {
                continue;
            }
            names_of_symbols_ = sections_[section.link].offset;
            for (std::uint64_t i = 0; i < section.bytes / sizeof(Symbol); ++i) {
                Symbol symbol;
                std::memcpy(&symbol, image_ + section.offset + i * sizeof symbol, sizeof symbol);
                symbols_.push_back(symbol);
            }
        }
    }

    void read_section(const Section& section, ModuleImage& result) const {
        const std::string name = name_of(section);
        const std::size_t dot = name.rfind('.');
        const auto kernel = result.kernels.find(name.substr(dot + 1));
        if (name == ".nv.info") {
            read_info(section, [&](unsigned attribute, const unsigned char* value) { note(attribute, value, result); });
        } else if (kernel == result.kernels.end()) {
            return;
        } else if (name.rfind(".nv.shared.", 0) == 0) {
            const bool reserved = result.sm >= 80 && section.bytes >= reserved_shared_bytes;
            kernel->second.shared_bytes = static_cast<unsigned>(section.bytes) - (reserved ? reserved_shared_bytes : 0);
        } else if (name.rfind(".nv.constant0.", 0) == 0) {
            kernel->second.constant_bytes = static_cast<unsigned>(section.bytes);
        } else if (name.rfind(".nv.info.", 0) == 0) {
            read_info(section,
                      [&](unsigned attribute, const unsigned char* value) { note(attribute, value, kernel->second); });
        }
    }

    template <class Take>
    void read_info(const Section& section, Take take) const {
        const unsigned char* at = image_ + section.offset;
        const unsigned char* const end = at + section.bytes;
        while (at + 4 <= end) {
            const unsigned bytes = at[0] == format_sized ? at[2] | static_cast<unsigned>(at[3]) << 8 : 0;
            if (at[0] == format_sized) {
                take(at[1], at + 4);
            }
            at += 4 + bytes;
        }
    }

    // Of the whole cubin: (symbol of the kernel, number).
    void note(unsigned attribute, const unsigned char* value, ModuleImage& result) const {
        if (attribute != attribute_registers && attribute != attribute_frame_bytes) {
            return;
        }
        const auto kernel = result.kernels.find(name_of(symbols_.at(word_at(value))));
        if (kernel != result.kernels.end()) {
            (attribute == attribute_registers ? kernel->second.registers : kernel->second.local_bytes) =
                word_at(value + 4);
        }
    }

    // Of one kernel. A parameter: index, ordinal and offset of 16 bits each, then its size from bit 18 on.
    static void note(unsigned attribute, const unsigned char* value, ImageKernel& kernel) {
        if (attribute == attribute_max_threads) {
            kernel.max_threads = word_at(value) * word_at(value + 4) * word_at(value + 8);
        } else if (attribute == attribute_parameter) {
            const std::size_t ordinal = word_at(value + 4) & 0xFFFF;
            if (kernel.parameter_bytes.size() <= ordinal) {
                kernel.parameter_bytes.resize(ordinal + 1);
            }
            kernel.parameter_bytes[ordinal] = word_at(value + 8) >> 18;
        }
    }

    void read_variable(const Symbol& symbol, ModuleImage& result) const {
        if ((symbol.info & 15) != symbol_object || symbol.section == 0 || symbol.section >= sections_.size()) {
            return;
        }
        const Section& section = sections_[symbol.section];
        if (const std::string name = name_of(section); name != ".nv.global" && name != ".nv.global.init") {
            return;
        }
        std::vector<unsigned char> contents(symbol.bytes);
        if (section.type != section_nobits) {
            std::memcpy(contents.data(), image_ + section.offset + symbol.value, symbol.bytes);
        }
        result.variables[name_of(symbol)] = contents;
    }

    const unsigned char* image_;
    Header header_{};
    std::vector<Section> sections_;
    std::vector<Symbol> symbols_;
    std::uint64_t names_of_symbols_ = 0;
};

}  // namespace

ModuleImage read_cubin(const unsigned char* image) { return Cubin(image).read(); }

}  // namespace warpwright::standin
