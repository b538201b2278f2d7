// UF2Image: validates a UF2 file before flashing.

/// The contents of flash memory in UF2, the format of the boot loader of the RP2040: blocks of 512
/// bytes with addresses (github.com/microsoft/uf2).
struct UF2Image {
    private(set) var bytes: [UInt8]

    /// A defect in a UF2 file: the number of the block, counted from 0, and the reason.
    struct Fault: Error, Equatable {
        var block: Int
        var reason: String
    }

    private static let blockSize = 512
    private static let payloadSize = 256
    private static let magics: [(offset: Int, value: UInt32)] = [
        (0, 0x0A32_4655), (4, 0x9E5D_5157), (508, 0x0AB1_6F30),
    ]
    /// The flag of a block that must not be written to flash memory.
    private static let isElsewhere: UInt32 = 0x0001
    /// The flag of a block that contains the id of its family of chips.
    private static let hasFamily: UInt32 = 0x2000
    private static let rp2040: UInt32 = 0xE48B_FF56
    /// The flash memory of the smallest board, 2 MB, without the two sectors in which the firmware
    /// stores its configuration.
    private static let flash: Range<UInt32> = 0x1000_0000..<0x101F_E000
    /// The size of a sector. The boot loader erases each sector before it writes the first block of
    /// the sector.
    private static let sectorSize: UInt32 = 4_096

    /// Throws `Fault` if the boot loader would reject the file or one of its blocks.
    init(_ bytes: [UInt8]) throws(Fault) {
        self.bytes = bytes
        guard !bytes.isEmpty, bytes.count % Self.blockSize == 0 else {
            throw Fault(
                block: bytes.count / Self.blockSize,
                reason:
                    "not a UF2 file, or truncated: the size of \(bytes.count) bytes is not a "
                    + "multiple of 512")
        }
        var numbers: Set<UInt32> = []
        var next: UInt32?
        for block in 0..<blockCount {
            try check(block, after: next)
            numbers.insert(word(block, 20))
            next = word(block, 12) + UInt32(Self.payloadSize)
        }
        let count = UInt32(blockCount)
        guard word(0, 24) == count, numbers == Set(0..<count) else {
            throw Fault(block: blockCount - 1, reason: "blocks are missing")
        }
    }

    /// The number of bytes that are written to flash memory.
    var size: Int { blockCount * Self.payloadSize }

    /// The bytes that are written to flash memory.
    var memory: [UInt8] {
        (0..<blockCount).flatMap { block in
            bytes[block * Self.blockSize + 32..<block * Self.blockSize + 32 + Self.payloadSize]
        }
    }

    private var blockCount: Int { bytes.count / Self.blockSize }

    private func word(_ block: Int, _ offset: Int) -> UInt32 {
        let start = block * Self.blockSize + offset
        return bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func check(_ block: Int, after next: UInt32?) throws(Fault) {
        func check(_ isRight: Bool, _ reason: String) throws(Fault) {
            if !isRight { throw Fault(block: block, reason: reason) }
        }
        try check(
            Self.magics.allSatisfy { word(block, $0.offset) == $0.value },
            "not a block of a UF2 file")
        let (flags, address) = (word(block, 8), word(block, 12))
        try check(
            flags & Self.hasFamily != 0 && word(block, 28) == Self.rp2040
                && flags & Self.isElsewhere == 0, "not for the flash memory of an RP2040")
        try check(word(block, 16) == Self.payloadSize, "a block must have 256 bytes")
        try check(
            word(block, 24) == word(0, 24),
            "the number of blocks differs from the number in the first block")
        try check(
            Self.flash.contains(address), "data outside the flash memory for the firmware")
        try check(
            next.map { $0 == address } ?? (address % Self.sectorSize == 0),
            "the addresses must start at a sector boundary and be consecutive")
    }

    /// Replaces the bytes at an address with `content` if they begin with `start`. Returns true if
    /// the bytes were replaced.
    mutating func replace(_ start: [UInt8], at address: UInt32, with content: [UInt8]) -> Bool {
        guard address >= word(0, 12) else { return false }
        let offset = Int(address - word(0, 12))
        let (block, position) = offset.quotientAndRemainder(dividingBy: Self.payloadSize)
        guard block < blockCount, position + content.count <= Self.payloadSize else { return false }
        let index = block * Self.blockSize + 32 + position
        guard bytes[index...].starts(with: start) else { return false }
        bytes.replaceSubrange(index..<index + content.count, with: content)
        return true
    }
}
