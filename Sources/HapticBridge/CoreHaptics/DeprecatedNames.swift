// Names from the first versions of Core Haptics, which Apple's sample code still uses.

extension HapticEngine {
    /// Creates a player, under the name that the first beta versions of Core Haptics used.
    @available(*, deprecated, renamed: "makePlayer(with:)")
    public func createPlayer(with pattern: CHHapticPattern) throws
        -> any HapticPatternPlayer & Sendable
    {
        try makePlayer(with: pattern)
    }

    /// Creates an advanced player, under the name that the first beta versions of Core Haptics
    /// used.
    @available(*, deprecated, renamed: "makeAdvancedPlayer(with:)")
    public func createAdvancedPlayer(
        with pattern: CHHapticPattern
    ) throws -> any HapticAdvancedPatternPlayer & Sendable {
        try makeAdvancedPlayer(with: pattern)
    }
}
