// ServedEngine: an engine as the thread of its board knows it.

import HapticPatterns

/// An engine that the thread of a board serves, and tells what becomes of it.
protocol ServedEngine: AnyObject, Sendable {
    var device: HapticDevice { get }
    var locality: HapticLocality { get }
    /// Whether it stops where another engine of the program is started on its board.
    var givesWay: Bool { get }
    /// Whether patterns play, or will once the board answers.
    var isUp: Bool { get }

    /// Starts, and waits for it.
    func start() throws
    /// Plays a pattern at once.
    func play(_ pattern: HapticPattern) throws
    /// Takes a report of the board's thread, on which it is called.
    func take(_ report: EngineReport, from mailbox: EngineMailbox)
}
