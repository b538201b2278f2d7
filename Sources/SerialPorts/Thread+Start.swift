// Thread+Start: runs work that waits for a board or for the system.

import Foundation

extension Thread {
    /// Runs blocking work on a separate thread.
    ///
    /// A dispatch queue is not suitable for such work: if many threads of a program are waiting,
    /// several seconds may pass before the queue receives a thread.
    package static func start(
        _ name: String, qualityOfService: QualityOfService, _ work: @escaping @Sendable () -> Void
    ) {
        let thread = Thread(block: hostClock.body(work))
        thread.name = name
        thread.qualityOfService = qualityOfService
        thread.start()
    }
}
