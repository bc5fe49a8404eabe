"""A network for digits: it learns to read them."""

import digits  # draws its own pictures from a seed; the file stands in examples/
import minispore as ms
import minispore.dataset as ds
from minispore import nn

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(1)


def draw_digits(count: int, seed: int) -> ds.Dataset:
    """Draw pictures of 28 x 28 grey levels, with the digits that they show."""
    images, labels = next(digits.draw(count, seed=seed))
    pixels = images.reshape(count, 784).astype("float32") / 255
    return ds.NumpySlicesDataset((pixels, labels.astype("int32")), ["image", "label"]).batch(50)


network = nn.SequentialCell(nn.Dense(784, 64), nn.ReLU(), nn.Dense(64, 10))
print(ms.summary(network, (50, 784)))

loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Adam(network.trainable_params(), learning_rate=0.003)
model = ms.Model(network, loss, optimizer, metrics={"accuracy"})

training, test = draw_digits(1000, seed=1), draw_digits(500, seed=2)
print(model.fit(10, training, test))

# Look at the first picture that the network reads wrongly.
for images, labels in test.create_tuple_iterator():
    guesses = model.predict(images).argmax(axis=1).asnumpy()
    wrong = (guesses != labels.asnumpy()).nonzero()[0]
    if len(wrong):
        i = wrong[0]
        for row in images[int(i)].asnumpy().reshape(28, 28)[::2]:  # a character is as high as two
            print("".join(" .:*#"[int(4 * ink)] for ink in row))
        print(f"This is a {labels[int(i)]}, and the network says {guesses[i]}.")
        break
