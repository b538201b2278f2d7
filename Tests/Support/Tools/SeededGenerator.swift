// Random numbers that are the same in every run and on every machine.

import BridgeLink

/// A generator of random numbers from a seed: the one that the link itself uses.
public struct SeededGenerator: RandomNumberGenerator {
    private var numbers: SplitMix64

    public init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    public mutating func next() -> UInt64 { numbers.next() }

    /// Returns true once in `count` calls on average.
    public mutating func chance(oneIn count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// Returns `count` random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
