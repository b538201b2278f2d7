// Chance that is the same in every run and on every machine.

import BridgeLink

/// Numbers from a seed: those of the link's own chance.
public struct SeededGenerator: RandomNumberGenerator {
    private var numbers: Dither

    public init(seed: UInt64) { numbers = Dither(seed: seed) }

    public mutating func next() -> UInt64 { numbers.next() }

    /// True once in `count` times.
    public mutating func chance(oneIn count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// So many random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
