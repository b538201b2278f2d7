// ChipFindings: the errors that a chip model has detected in the use of the chip.

import BridgeLink
import CBridgeProtocol
import CDRV2605Model
import VirtualBoard

/// The errors that a chip model has detected in the use of the chip.
public struct ChipFindings: Equatable, Sendable {
    public var undefinedAccesses = 0
    /// The number of starts of real-time playback with a stale level.
    public var staleStarts = 0
    public var unmodelledModes = 0
    public var stalledTransfers = 0
    public var isProgrammed = false

    /// Descriptions of the findings; empty if the model has detected no error.
    public var descriptions: [String] {
        [
            undefinedAccesses > 0 ? "\(undefinedAccesses) undefined accesses" : nil,
            staleStarts > 0 ? "\(staleStarts) stale starts" : nil,
            unmodelledModes > 0 ? "\(unmodelledModes) unmodelled modes" : nil,
            isProgrammed ? "one-time memory programmed" : nil,
        ].compactMap { $0 }
    }
}

extension ChipFindings {
    init(_ chip: drv2605_model) {
        undefinedAccesses = Int(chip.undefined_accesses)
        staleStarts = Int(chip.stale_rtp_starts)
        unmodelledModes = Int(chip.unmodelled_modes)
        stalledTransfers = Int(chip.stalled_transfers)
        isProgrammed = chip.otp_programmed
    }
}
