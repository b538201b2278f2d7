// Names of the first versions of Core Haptics, which its sample code still has.

extension HapticEngine {
    /// Makes a player, under the name of the first beta versions of Core Haptics.
    @available(*, deprecated, renamed: "makePlayer(with:)")
    public func createPlayer(with pattern: CHHapticPattern) throws
        -> any HapticPatternPlayer & Sendable
    {
        try makePlayer(with: pattern)
    }

    /// Makes an advanced player, under the name of the first beta versions of Core Haptics.
    @available(*, deprecated, renamed: "makeAdvancedPlayer(with:)")
    public func createAdvancedPlayer(
        with pattern: CHHapticPattern
    ) throws -> any HapticAdvancedPatternPlayer & Sendable {
        try makeAdvancedPlayer(with: pattern)
    }
}
