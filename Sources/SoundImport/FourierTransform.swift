// FourierTransform: the discrete Fourier transform of two real signals at the same time.

import CMath

/// A fast Fourier transform (Cooley and Tukey 1965, radix 2) of a fixed length.
struct FourierTransform {
    /// The number of samples, a power of two.
    let count: Int
    private let cosines: [Float]
    private let sines: [Float]
    private let reversed: [Int32]

    /// Creates a transform.
    ///
    /// - Parameter count: the number of samples, a power of two of at least 4.
    init(count: Int) {
        precondition(count >= 4 && count & (count - 1) == 0)
        self.count = count
        let angles = (0..<count / 2).map { -2 * Double.pi * Double($0) / Double(count) }
        cosines = angles.map { Float(math_cos($0)) }
        sines = angles.map { Float(math_sin($0)) }
        let bits = count.trailingZeroBitCount
        reversed = (0..<count).map { index in
            (0..<bits).reduce(0) { $0 | Int32((index >> $1) & 1) << Int32(bits - 1 - $1) }
        }
    }

    /// Transforms complex numbers in place. The numbers may represent two real signals.
    func transform(
        _ real: UnsafeMutableBufferPointer<Float>, _ imaginary: UnsafeMutableBufferPointer<Float>
    ) {
        for index in 0..<count {
            let other = Int(reversed[index])
            guard other > index else { continue }
            real.swapAt(index, other)
            imaginary.swapAt(index, other)
        }
        var half = 1
        while half < count {
            combine(real, imaginary, half)
            half *= 2
        }
    }

    /// Combines transforms of `half` numbers each into transforms of twice that length.
    private func combine(
        _ real: UnsafeMutableBufferPointer<Float>, _ imaginary: UnsafeMutableBufferPointer<Float>,
        _ half: Int
    ) {
        let step = count / (2 * half)
        cosines.withUnsafeBufferPointer { cosines in
            sines.withUnsafeBufferPointer { sines in
                for start in stride(from: 0, to: count, by: 2 * half) {
                    for offset in 0..<half {
                        let (first, second) = (start + offset, start + offset + half)
                        let (c, s) = (cosines[offset * step], sines[offset * step])
                        let re = real[second] * c - imaginary[second] * s
                        let im = real[second] * s + imaginary[second] * c
                        real[second] = real[first] - re
                        imaginary[second] = imaginary[first] - im
                        real[first] += re
                        imaginary[first] += im
                    }
                }
            }
        }
    }
}
