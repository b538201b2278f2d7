// ChipBand: the drive and the frequency of a chip in open loop, reconstructed from its bus traffic.

import CDRV2605Model
import VirtualBoard

/// The drive and the frequency of a chip from `time` until the time of the next entry in a list.
public struct BandMoment: Equatable, Sendable {
    public var time: BoardTime
    /// The drive as a fraction of full scale, 0...1.
    public var drive: Double
    /// The frequency in hertz.
    public var frequency: Double

    public init(time: BoardTime, drive: Double, frequency: Double) {
        (self.time, self.drive, self.frequency) = (time, drive, frequency)
    }
}

/// A hypothesis about the time when a chip adopts a frequency that is written while the chip
/// drives.
public enum PeriodRule: CaseIterable, Sendable {
    case atNextHalfCycle, immediately, atNextStart

    var model: drv2605_model_period_rule {
        switch self {
        case .atNextHalfCycle: MODEL_PERIOD_AT_NEXT_HALF_CYCLE
        case .immediately: MODEL_PERIOD_IMMEDIATELY
        case .atNextStart: MODEL_PERIOD_AT_NEXT_START
        }
    }
}

extension Sequence<BusTransaction> {
    /// Returns the changes in the drive and the frequency of a DRV2605L in open loop that is
    /// configured with an image and then receives the acknowledged writes of these transactions.
    public func moments(_ rule: PeriodRule, image: [UInt8]) -> [BandMoment] {
        var chip = drv2605_model()
        drv2605_model_init(&chip, UInt8(MODEL_ID_DRV2605L), 0)
        chip.period_rule = rule.model
        drv2605_model_enable(&chip, 500, true)
        func write(_ register: UInt8, _ value: UInt8, at time: UInt64) {
            _ = drv2605_model_start(&chip, time, UInt8(MODEL_I2C_ADDRESS << 1))
            _ = drv2605_model_write_byte(&chip, time, register)
            _ = drv2605_model_write_byte(&chip, time, value)
            drv2605_model_stop(&chip, time)
        }
        for (index, value) in image.enumerated() {
            write(index == 0 ? 0x03 : 0x15 + UInt8(index), value, at: 1_000)
        }
        var moments: [BandMoment] = []
        func record(at time: UInt64) {
            let drive = Double(drv2605_model_drive(&chip, time)) / 255
            let frequency = Double(drv2605_model_carrier_millihertz(&chip, time)) / 1_000
            let moment = BandMoment(time: BoardTime(time), drive: drive, frequency: frequency)
            if let last = moments.last, (last.drive, last.frequency) == (drive, frequency) {
                return
            }
            moments.append(moment)
        }
        for transaction in self {
            guard let (register, value) = transaction.write else { continue }
            let time = UInt64(transaction.end)
            if chip.next_period_at_us < time { record(at: chip.next_period_at_us) }
            write(register, value, at: time)
            record(at: time)
        }
        if chip.next_period_at_us < UInt64.max { record(at: chip.next_period_at_us) }
        return moments
    }
}
