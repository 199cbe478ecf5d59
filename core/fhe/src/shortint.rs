//! Arrays of short encrypted integers: two bits of message and two of carry, what a bootstrap reads and writes.

use crate::ciphertexts::{Ciphertexts, check_lengths};
use crate::circuit::{Build, Circuit, Evaluator, Input, Noise, Polarity, Signal, Source, Task};
use crate::client_key::ClientKey;
use crate::lookup_table::LookupTable;
use crate::parameters::{MESSAGES, VALUES};
use crate::server_key::ServerKey;
use icicle_error::{Error, Result};

/// An array of encrypted values from 0 to 15.
pub struct Shortints {
    pub(crate) ciphertexts: Ciphertexts,
    /// The largest value an element can have.
    pub(crate) degree: u64,
    /// The sum of squared weights over fresh ciphertexts and bootstraps' outputs, at most.
    pub(crate) norm2: u32,
}

impl std::fmt::Debug for Shortints {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { degree, norm2, .. } = self;
        write!(to, "Shortints {{ len: {}, degree: {degree}, norm2: {norm2} }}", self.len())
    }
}

impl Shortints {
    /// How many elements.
    pub fn len(&self) -> usize {
        self.ciphertexts.count()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The largest value an element can have, as far as is known without the key.
    pub fn degree(&self) -> u64 {
        self.degree
    }
    /// Of ciphertexts of messages, fresh from encryption.
    pub(crate) fn fresh(ciphertexts: Ciphertexts) -> Self {
        Self { ciphertexts, degree: MESSAGES - 1, norm2: 1 }
    }
    /// Refuse values that are no messages.
    pub(crate) fn check_messages(op: &'static str, values: &[u8]) -> Result<()> {
        match values.iter().enumerate().find(|&(_, &value)| u64::from(value) >= MESSAGES) {
            None => Ok(()),
            Some((at, value)) => Err(Error::argument(op, format!("values[{at}] is {value}, must be below {MESSAGES}"))),
        }
    }
    /// A copy.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn try_clone(&self) -> Result<Self> {
        let ciphertexts = self.ciphertexts.copied("fhe_clone")?;
        Ok(Self { ciphertexts, ..*self })
    }
}

impl ClientKey {
    /// Encrypt values from 0 to 3.
    ///
    /// # Errors
    /// `InvalidArgument` for a value above 3, `OutOfMemory`, `Internal` where the system gives no random numbers.
    pub fn encrypt_shortints(&self, values: &[u8]) -> Result<Shortints> {
        const OP: &str = "fhe_encrypt";
        Shortints::check_messages(OP, values)?;
        Ok(Shortints::fresh(self.encrypt_messages(OP, values.len(), &|i| u64::from(values[i]))?))
    }

    /// Decrypt values from 0 to 15.
    ///
    /// # Errors
    /// `InvalidArgument` for another key's ciphertexts, `OutOfMemory`.
    pub fn decrypt_shortints(&self, x: &Shortints) -> Result<Vec<u8>> {
        const OP: &str = "fhe_decrypt";
        x.ciphertexts.check(OP, "x", self.tag)?;
        let mut values = self.decrypt_messages(OP, &x.ciphertexts)?;
        values.iter_mut().for_each(|value| *value %= VALUES as u8);
        Ok(values)
    }

    /// The noise of each element, as a fraction of the torus: decryption is right as long as it stays below 1/64.
    ///
    /// It is for measurements, and to be kept as secret as the key: it tells about the key.
    ///
    /// # Errors
    /// `InvalidArgument` for another key's ciphertexts, `OutOfMemory`.
    pub fn noise_of_shortints(&self, x: &Shortints) -> Result<Vec<f64>> {
        const OP: &str = "fhe_noise";
        x.ciphertexts.check(OP, "x", self.tag)?;
        self.phase_errors(OP, &x.ciphertexts)
    }
}

impl ServerKey {
    /// Apply a function from 0..16 to 0..16 to every element, by one bootstrap each.
    ///
    /// # Errors
    /// `InvalidArgument` for another key's ciphertexts, or a function with a value above 15; `OutOfMemory`.
    pub fn apply_lut(&self, x: &Shortints, f: impl Fn(u8) -> u8) -> Result<Shortints> {
        const OP: &str = "fhe_apply_lut";
        x.ciphertexts.check(OP, "x", self.tag)?;
        let (table, degree) = table(OP, x.degree, &f)?;
        let ciphertexts = self.combined(OP, [x], &|circuit| circuit.bootstrap(&circuit.block(0, 0)?, table))?;
        Ok(Shortints { ciphertexts, degree, norm2: 1 })
    }

    /// Apply a function of two values from 0 to 3 to every pair of elements, by one bootstrap each.
    ///
    /// # Errors
    /// `InvalidArgument` for another key's ciphertexts, arrays of different lengths, elements that may be above 3 or have more
    /// noise than a pair may, or a function with a value above 15; `OutOfMemory`.
    pub fn apply_bivariate_lut(&self, x: &Shortints, y: &Shortints, f: impl Fn(u8, u8) -> u8) -> Result<Shortints> {
        const OP: &str = "fhe_apply_bivariate_lut";
        for (name, operand) in [("x", x), ("y", y)] {
            operand.ciphertexts.check(OP, name, self.tag)?;
            if operand.degree >= MESSAGES {
                let detail =
                    format!("{name} may hold {}, must be below {MESSAGES}: apply a table first", operand.degree);
                return Err(Error::argument(OP, detail));
            }
        }
        check_lengths(OP, ["x", "y"], [x.len(), y.len()])?;
        self.check_noise(OP, sum_norm2(MESSAGES as f64, x.norm2, y.norm2))?;
        let (table, degree) = table(OP, VALUES as u64 - 1, &|v| f(v / MESSAGES as u8, v % MESSAGES as u8))?;
        let ciphertexts = self.combined(OP, [x, y], &|circuit| {
            let pair = circuit.weighted(MESSAGES as i64, &circuit.block(0, 0)?, &circuit.block(1, 0)?)?;
            circuit.bootstrap(&pair, table)
        })?;
        Ok(Shortints { ciphertexts, degree, norm2: 1 })
    }

    /// Add elements, without a bootstrap.
    ///
    /// # Errors
    /// `InvalidArgument` for another key's ciphertexts, arrays of different lengths, sums that may be above 15 or have more
    /// noise than a bootstrap may read; `OutOfMemory`.
    pub fn add_shortints(&self, x: &Shortints, y: &Shortints) -> Result<Shortints> {
        const OP: &str = "fhe_add_shortints";
        x.ciphertexts.check(OP, "x", self.tag)?;
        y.ciphertexts.check(OP, "y", self.tag)?;
        check_lengths(OP, ["x", "y"], [x.len(), y.len()])?;
        let (degree, norm2) = (x.degree + y.degree, sum_norm2(1.0, x.norm2, y.norm2));
        if degree >= VALUES as u64 {
            return Err(Error::argument(
                OP,
                format!("sums may be {degree}, must be below {VALUES}: apply a table first"),
            ));
        }
        self.check_noise(OP, norm2)?;
        let ciphertexts =
            self.combined(OP, [x, y], &|circuit| circuit.sum([&circuit.block(0, 0)?, &circuit.block(1, 0)?]))?;
        Ok(Shortints { ciphertexts, degree, norm2 })
    }

    /// Values that anyone can read, in the form of ciphertexts.
    ///
    /// # Errors
    /// `InvalidArgument` for a value above 15, `OutOfMemory`.
    pub fn trivial_shortints(&self, values: &[u8]) -> Result<Shortints> {
        const OP: &str = "fhe_trivial";
        if let Some((at, value)) = values.iter().enumerate().find(|&(_, &value)| value >= VALUES as u8) {
            return Err(Error::argument(OP, format!("values[{at}] is {value}, must be below {VALUES}")));
        }
        let ciphertexts = self.trivial_blocks(OP, values.len(), |i| u64::from(values[i]))?;
        let degree = values.iter().max().map_or(0, |&value| u64::from(value));
        Ok(Shortints { ciphertexts, degree, norm2: 0 })
    }

    /// A signal of each element.
    fn combined<const N: usize>(
        &self,
        op: &'static str,
        operands: [&Shortints; N],
        signal: &(dyn Fn(&mut Circuit<'_>) -> Result<Signal> + Sync),
    ) -> Result<Ciphertexts> {
        let build: Build<'_> = &|blank, _| {
            let mut circuit = blank.blank();
            let signal = signal(&mut circuit)?;
            circuit.output(signal)?;
            Ok(circuit)
        };
        let noise = operands.map(|x| Noise {
            norm2: x.norm2,
            polarity: Polarity::Plain,
            repeats: false,
            high: x.degree as i64,
        });
        let inputs = operands.map(|x| Input { source: Source::Encrypted(&x.ciphertexts), per: 1 });
        let elements = operands.first().map_or(0, |x| x.len());
        self.evaluate(&Task { op, elements, inputs: &inputs, operands: &noise, outputs: 1, distinct: false, build })
    }

    /// Refuse what a bootstrap may not read.
    pub(crate) fn check_noise(&self, op: &'static str, norm2: u32) -> Result<()> {
        let most = self.parameters.max_norm2;
        if norm2 <= most {
            return Ok(());
        }
        let detail = format!(
            "a bootstrap's input would have a squared norm of {norm2}, must be at most {most}: apply a table first"
        );
        Err(Error::argument(op, detail))
    }
}

/// The squared norm of `weight` x + y, as large as it is where x and y share all their noise.
fn sum_norm2(weight: f64, x: u32, y: u32) -> u32 {
    let norm = weight * f64::from(x).sqrt() + f64::from(y).sqrt();
    // Roots are rounded: of squares, this is still the square.
    (norm * norm - 1e-9).ceil() as u32
}

/// The table of a function, and the largest of the values it has up to a degree.
fn table(op: &'static str, degree: u64, f: &dyn Fn(u8) -> u8) -> Result<(LookupTable, u64)> {
    let values: [u8; VALUES] = std::array::from_fn(|v| f(v as u8));
    if let Some((at, value)) = values.iter().enumerate().find(|&(_, &value)| value >= VALUES as u8) {
        return Err(Error::argument(op, format!("f({at}) is {value}, must be below {VALUES}")));
    }
    let largest = values.iter().take(degree as usize + 1).max().map_or(0, |&value| u64::from(value));
    Ok((LookupTable::new(|v| i64::from(values[v as usize])), largest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_keys::toy;

    #[test]
    fn tables_are_applied_to_each_value() {
        let (client, server) = toy();
        let all: Vec<u8> = (0..16).collect();
        let x = server.trivial_shortints(&all).unwrap();
        let y = server.apply_lut(&x, |v| v * 7 % 16).unwrap();
        assert_eq!(client.decrypt_shortints(&y).unwrap(), (0..16).map(|v| v * 7 % 16).collect::<Vec<u8>>());
        // What comes out goes in again.
        let z = server.apply_lut(&y, |v| v ^ 1).unwrap();
        assert_eq!(client.decrypt_shortints(&z).unwrap(), (0..16).map(|v| (v * 7 % 16) ^ 1).collect::<Vec<u8>>());
        let (a, b): (Vec<u8>, Vec<u8>) = (0..16).map(|i| (i / 4, i % 4)).unzip();
        let (x, y) = (client.encrypt_shortints(&a).unwrap(), client.encrypt_shortints(&b).unwrap());
        let product = server.apply_bivariate_lut(&x, &y, |a, b| a * b).unwrap();
        assert_eq!(
            client.decrypt_shortints(&product).unwrap(),
            a.iter().zip(&b).map(|(a, b)| a * b).collect::<Vec<u8>>()
        );
        assert_eq!((product.degree(), product.len()), (9, 16));
        let sum = server.add_shortints(&x, &y).unwrap();
        assert_eq!(client.decrypt_shortints(&sum).unwrap(), a.iter().zip(&b).map(|(a, b)| a + b).collect::<Vec<u8>>());
        assert_eq!((sum.degree, sum.norm2), (6, 4));
        let none = server.apply_lut(&client.encrypt_shortints(&[]).unwrap(), |v| v).unwrap();
        assert!(none.is_empty() && client.decrypt_shortints(&none).unwrap().is_empty());
    }

    #[test]
    fn what_breaks_a_rule_is_refused_by_name() {
        let (client, server) = toy();
        let x = client.encrypt_shortints(&[1, 2, 3]).unwrap();
        let refused = |error: Error, text: &str| assert!(error.to_string().contains(text), "{error}");
        refused(client.encrypt_shortints(&[3, 4]).unwrap_err(), "fhe_encrypt: values[1] is 4, must be below 4");
        refused(server.trivial_shortints(&[16]).unwrap_err(), "fhe_trivial: values[0] is 16, must be below 16");
        refused(server.apply_lut(&x, |v| v + 1).unwrap_err(), "fhe_apply_lut: f(15) is 16, must be below 16");
        let y = client.encrypt_shortints(&[1]).unwrap();
        refused(server.add_shortints(&x, &y).unwrap_err(), "y has 1 elements, x 3: must be as many");
        let mut sum = x.try_clone().unwrap();
        for _ in 0..4 {
            sum = server.add_shortints(&sum, &x).unwrap();
        }
        refused(server.add_shortints(&sum, &x).unwrap_err(), "sums may be 18, must be below 16");
        refused(server.apply_bivariate_lut(&sum, &x, |a, _| a).unwrap_err(), "x may hold 15, must be below 4");
        // Trivial zeros and ones leave room for values, but noise adds up.
        let noisy = Shortints { degree: 3, norm2: 3, ..x.try_clone().unwrap() };
        refused(
            server.apply_bivariate_lut(&noisy, &x, |a, _| a).unwrap_err(),
            "squared norm of 63, must be at most 34",
        );
        let other = crate::ClientKey::generate(&crate::parameters::TOY).unwrap();
        for error in [
            other.decrypt_shortints(&x).unwrap_err(),
            server.apply_lut(&other.encrypt_shortints(&[1]).unwrap(), |v| v).unwrap_err(),
        ] {
            refused(error, "must be under that of the key it is used with");
        }
    }
}
