// SeededGenerator: random numbers that are identical in every run and on every computer.

/// A seeded generator of random numbers: SplitMix64 (Steele, Lea and Flood 2014).
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns true once in `count` calls on average.
    public mutating func chance(oneIn count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// Returns `count` random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
